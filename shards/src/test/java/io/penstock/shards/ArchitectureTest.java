package io.penstock.shards;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.CompositeArchRule;

/** The directions that the packages of this module keep, from the leaf words up to the root. */
@AnalyzeClasses(
    packages = "io.penstock.shards",
    importOptions = {ImportOption.DoNotIncludeTests.class, ImportOption.DoNotIncludeJars.class})
class ArchitectureTest {

  private static final String ROOT = "io.penstock.shards";
  private static final String CORE = ROOT + ".core";
  private static final String OS = ROOT + ".os";
  private static final String NET = ROOT + ".net";
  private static final String BACKENDS = ROOT + ".poller.*";
  private static final String NIO = ROOT + ".poller.nio";
  private static final String EPOLL = ROOT + ".poller.epoll";
  private static final String URING = ROOT + ".poller.uring";

  @ArchTest
  static final ArchRule packagesFormNoCycle =
      slices().matching("io.penstock.(**)").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule nothingBelowImportsTheRootPackage =
      noClasses()
          .that()
          .resideInAPackage(ROOT + ".*..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage(ROOT)
          .allowEmptyShould(true);

  @ArchTest
  static final ArchRule coreIsALeaf =
      classes()
          .that()
          .resideInAPackage(CORE)
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(CORE, "java..")
          .allowEmptyShould(true);

  @ArchTest
  static final ArchRule osIsALeafButForTheSharedWords =
      noClasses()
          .that()
          .resideInAPackage(OS)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              ROOT, ROOT + ".memory..", ROOT + ".loop..", NET + "..", ROOT + ".poller..")
          .allowEmptyShould(true);

  @ArchTest
  static final ArchRule connectionsKnowNoBackend =
      noClasses()
          .that()
          .resideInAPackage(NET + "..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage(BACKENDS + "..")
          .allowEmptyShould(true);

  @ArchTest
  static final ArchRule connectionsHoldNoSocketOfTheirOwn =
      noClasses()
          .that()
          .resideInAPackage(NET + "..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("java.nio.channels..")
          .allowEmptyShould(true);

  @ArchTest
  static final ArchRule onlyBackendsKnowNetty =
      noClasses()
          .that()
          .resideOutsideOfPackage(BACKENDS + "..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.netty..")
          .allowEmptyShould(true);

  @ArchTest
  static final ArchRule nioRunsWithoutNetty =
      noClasses()
          .that()
          .resideInAPackage(NIO + "..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.netty..")
          .allowEmptyShould(true);

  @ArchTest
  static final ArchRule backendsDoNotKnowEachOther =
      CompositeArchRule.of(knowsNoneOf(NIO, EPOLL, URING))
          .and(knowsNoneOf(EPOLL, NIO, URING))
          .and(knowsNoneOf(URING, NIO, EPOLL));

  @ArchTest
  static final ArchRule onlyOsCallsNativeCode =
      noClasses()
          .that()
          .resideOutsideOfPackage(OS)
          .should()
          .dependOnClassesThat()
          .resideInAPackage("com.sun.jna..")
          .allowEmptyShould(true);

  @ArchTest
  static final ArchRule noPekkoNoScalaNoConfigLibraryNoLoggingBackend =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("org.apache.pekko..", "scala..", "com.typesafe..", "ch.qos.logback..")
          .allowEmptyShould(true);

  private static ArchRule knowsNoneOf(String backend, String... others) {
    return noClasses()
        .that()
        .resideInAPackage(backend + "..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(others)
        .allowEmptyShould(true);
  }
}
