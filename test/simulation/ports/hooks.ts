// Extension servers that answer in virtual time, with network faults.
import { createResponseMemory } from '../../../shared/runtime-hooks/memory.ts';
import type { Exchanged, Hooks } from '../../../shared/runtime-hooks/port.ts';
import { endedMeanwhile, shortageOfTime } from '../../../shared/runtime-hooks/time-left.ts';
import { type FakeExtensions, toExchanged } from '../../support/fake-hooks.ts';
import type { SimulatedProcess } from '../engine/process.ts';

/** The connection of one process to the extension servers. */
export function connectHooks(process: SimulatedProcess, extensions: Pick<FakeExtensions, 'respond'>): Hooks {
  const { clock } = process;
  return {
    services: 'refuse',
    memory: createResponseMemory(clock),
    exchange: async (exchange, { signal, deadline }) => {
      const shortage = shortageOfTime(exchange, { now: clock.now(), deadline });
      if (shortage !== undefined) {
        return { ok: false, why: 'time', error: shortage };
      }
      return process.request<Exchanged>({
        port: 'kubernetes',
        label: `hook ${exchange.hook} ${exchange.url}`,
        isWrite: false,
        signal,
        timeoutMs: exchange.timeoutSeconds * 1000,
        perform: async () => toExchanged(exchange, extensions.respond(exchange)),
        refused: as =>
          as === 'aborted'
            ? { ok: false, why: 'time', error: endedMeanwhile }
            : { ok: false, why: 'exchange', error: `http call failed: Post "${exchange.url}": ${as}` },
      });
    },
  };
}
