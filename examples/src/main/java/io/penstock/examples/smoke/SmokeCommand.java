package io.penstock.examples.smoke;

import io.penstock.examples.smoke.options.DeclaredBackend;
import io.penstock.examples.smoke.options.SmokeLine;
import io.penstock.examples.smoke.options.SmokeOptions;
import io.penstock.examples.smoke.options.SmokeSwitches;
import io.penstock.examples.smoke.options.Status;
import io.penstock.shards.pinning.Affinity;
import io.penstock.shards.pinning.CpuSet;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code smoke}: the echo smoke test, server and clients in one process or in two. */
@Command(
    name = "smoke",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Runs an echo server and clients of it, and prints what they reach; or checks bytes, drains"
            + " and churns connections.",
    exitCodeListHeading = "Ends with:%n",
    exitCodeList = {
      "0:all as it should be",
      "1:the run or a check failed",
      "2:the line makes no sense",
      "3:a backend that no JVM has",
      "4:wedged: nothing moves and both directions are full"
    })
public final class SmokeCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Mixin private SmokeSwitches switches;

  @Override
  public Integer call() {
    Optional<DeclaredBackend> declared = SmokeLine.declared(switches);
    if (declared.isPresent()) {
      spec.commandLine().getErr().println(declared.get().reason());
      return Status.DECLARED;
    }
    SmokeOptions options = options();
    options.cpus().ifPresent(this::restrict);
    return new SmokeRun(options, spec.commandLine().getOut(), spec.commandLine().getErr()).run();
  }

  private SmokeOptions options() {
    try {
      return SmokeLine.options(switches);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  private void restrict(CpuSet cpus) {
    String refused = Affinity.confineProcess(cpus);
    if (refused != null) {
      throw new ParameterException(spec.commandLine(), "--cpus: " + refused);
    }
    spec.commandLine().getOut().println("restricted to CPUs " + cpus);
  }
}
