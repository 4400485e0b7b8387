package io.penstock.examples;

import io.penstock.examples.echo.EchoCommand;
import io.penstock.examples.smoke.SmokeCommand;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Picks the example that the command line names. A line that makes no sense ends with status 2. */
@Command(
    name = "penstock",
    description = "Runs one of Penstock's examples.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.JarVersion.class,
    subcommands = {EchoCommand.class, SmokeCommand.class},
    synopsisSubcommandLabel = "COMMAND")
public final class Main implements Runnable {

  @Spec private CommandSpec spec;

  /** Runs the named example and ends the process with its status. */
  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  static CommandLine commandLine() {
    return new CommandLine(new Main())
        // An argument that begins with @ is an abstract Unix socket here, and no file.
        .setExpandAtFiles(false)
        .setOverwrittenOptionsAllowed(true)
        .setParameterExceptionHandler(Main::refuse);
  }

  /** One line; and where no command was named, what there is. */
  private static int refuse(ParameterException refused, String[] args) {
    CommandLine command = refused.getCommandLine();
    PrintWriter err = command.getErr();
    if (command.getParent() == null) {
      err.println(refused.getMessage());
      command.usage(err);
    } else {
      err.println(
          command.getCommandName() + ": " + refused.getMessage().replaceAll("\\s*\\R\\s*", "; "));
    }
    return command.getCommandSpec().exitCodeOnInvalidInput();
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "name a command");
  }

  /** The version that the jar's manifest states. */
  static final class JarVersion implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = Main.class.getPackage().getImplementationVersion();
      return new String[] {"penstock " + (version == null ? "(not run from its jar)" : version)};
    }
  }
}
