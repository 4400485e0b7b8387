package io.penstock.shards.testing;

import io.penstock.shards.core.Backend;
import io.penstock.shards.poller.probe.NativeProbe;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;
import org.junit.platform.commons.support.AnnotationSupport;

/** Makes the runs of an {@link EachBackend} test. */
final class EachBackendInvocations implements TestTemplateInvocationContextProvider {

  @Override
  public boolean supportsTestTemplate(ExtensionContext context) {
    return AnnotationSupport.isAnnotated(context.getTestMethod(), EachBackend.class);
  }

  @Override
  public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(
      ExtensionContext context) {
    EachBackend runs = context.getRequiredTestMethod().getAnnotation(EachBackend.class);
    List<TestTemplateInvocationContext> invocations = new ArrayList<>();
    for (Transport transport : runs.over()) {
      for (Backend backend : runs.value()) {
        invocations.add(new Invocation(backend, transport));
      }
    }
    return invocations.stream();
  }

  private record Invocation(Backend backend, Transport transport)
      implements TestTemplateInvocationContext {

    @Override
    public String getDisplayName(int index) {
      return backend + " over " + transport;
    }

    @Override
    public List<Extension> getAdditionalExtensions() {
      return List.of(new Net(this));
    }
  }

  /** Gives the test its net, and closes it before {@link ResourceCheck} looks. */
  private static final class Net
      implements BeforeEachCallback, AfterEachCallback, ParameterResolver {
    private final Invocation invocation;
    private TestNet net;

    Net(Invocation invocation) {
      this.invocation = invocation;
    }

    @Override
    public void beforeEach(ExtensionContext context) {
      ExpectedBackends.ofEnvironment().require(NativeProbe.status(invocation.backend()));
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
      Class<?> type = parameter.getParameter().getType();
      return type == TestNet.class || type == Backend.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
      if (parameter.getParameter().getType() == Backend.class) {
        return invocation.backend();
      }
      net = new TestNet(invocation.backend(), invocation.transport());
      return net;
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
      if (net != null) {
        net.close();
      }
    }
  }
}
