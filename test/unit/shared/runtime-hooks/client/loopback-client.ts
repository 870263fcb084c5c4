// The client with an extension server on loopback.

import { createHooks, type HookClientOptions } from '../../../../../shared/runtime-hooks/client/hooks-client.ts';
import type { Exchanged, ExchangeLimits, HookExchange, Hooks } from '../../../../../shared/runtime-hooks/port.ts';
import { createMetricsRegistry, type MetricsRegistry } from '../../../../../shared/telemetry/metrics-registry.ts';
import type { FakeExtensionServer, ServerAnswer } from '../../../../support/extension-server.ts';
import { SteppedClock } from '../../../../support/stepped-clock.ts';

const handlerPath = 'beforeclustercreate/first';

interface ClientWorld {
  readonly hooks: Hooks;
  readonly clock: SteppedClock;
  readonly metrics: MetricsRegistry;
  /** Sets the response of the server, and calls it. */
  ask(answer: ServerAnswer, change?: Partial<HookExchange & ExchangeLimits>): Promise<Exchanged>;
}

export function aClient(server: FakeExtensionServer, options: Partial<HookClientOptions> = {}): ClientWorld {
  const clock = new SteppedClock();
  const metrics = createMetricsRegistry();
  const settings = { services: 'dns', addresses: 'any', certificate: { kind: 'none' } } as const;
  const hooks = createHooks({ clock, metrics, settings, ...options });
  return {
    hooks,
    clock,
    metrics,
    ask(answer, { signal = new AbortController().signal, deadline, ...change } = {}) {
      server.answer(handlerPath, answer);
      return hooks.exchange({ ...anExchange(server), ...change }, { signal, deadline });
    },
  };
}

export function anExchange({ url, ca }: Pick<FakeExtensionServer, 'url' | 'ca'>): HookExchange {
  return {
    hook: 'BeforeClusterCreate',
    version: 'v1alpha1',
    url: `${url}/hooks.runtime.cluster.x-k8s.io/v1alpha1/${handlerPath}?timeout=10s`,
    caBundle: ca,
    body: { kind: 'BeforeClusterCreateRequest', settings: {} },
    timeoutSeconds: 10,
  };
}

/** Returns the error of a failed exchange, or '' after a success. */
export function problemOf(exchanged: Exchanged): string {
  return exchanged.ok ? '' : exchanged.error;
}
