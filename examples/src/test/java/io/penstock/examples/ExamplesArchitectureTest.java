package io.penstock.examples;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The directions that the examples' packages keep. */
@AnalyzeClasses(
    packages = "io.penstock.examples",
    importOptions = {ImportOption.DoNotIncludeTests.class, ImportOption.DoNotIncludeJars.class})
class ExamplesArchitectureTest {
  private static final String SMOKE = "io.penstock.examples.smoke";

  @ArchTest
  static final ArchRule packagesFormNoCycle =
      slices().matching("io.penstock.examples.(**)").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule nothingBelowTheSmokeTestImportsItsRoot =
      noClasses()
          .that()
          .resideInAPackage(SMOKE + ".*..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage(SMOKE);

  @ArchTest
  static final ArchRule whatTheEndsDoDoesNotKnowWhatCarriesThem =
      noClasses()
          .that()
          .resideInAnyPackage(SMOKE + ".peer", SMOKE + ".mode", SMOKE + ".report", SMOKE + ".wire")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(SMOKE + ".sharded", SMOKE + ".managed");

  @ArchTest
  static final ArchRule theControlUsesNoShards =
      noClasses()
          .that()
          .resideInAPackage(SMOKE + ".managed")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.penstock.shards",
              "io.penstock.shards.net",
              "io.penstock.shards.memory",
              "io.netty..");
}
