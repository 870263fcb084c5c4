// Stands in for extension servers that a topology would ask: each lets everything go on and changes nothing.
import type { Hooks } from '../../../shared/runtime-hooks/port.ts';
import { generatePatches, generateUpgradePlan, validateTopology } from '../../../shared/runtime-hooks/rules/catalog.ts';
import type { Asking } from './plan.ts';

/** Tells of every call that would be made. Nobody's answer is remembered. */
export function hooksThatAgree({ wouldAsk }: Pick<Asking, 'wouldAsk'>): Hooks {
  return {
    services: 'dns',
    memory: { get: () => undefined, set: () => undefined },
    async exchange({ hook, url }) {
      const { origin, pathname } = new URL(url);
      const handler = pathname.split('/').at(-1) ?? '';
      wouldAsk(
        `the extension server at ${origin} by hook ${hook} (${handler}); ${toAssumption(hook)}; --call-hooks asks it`,
      );
      return hook === generateUpgradePlan.name
        ? { ok: false, why: 'exchange', error: 'not asked: --call-hooks asks it' }
        : { ok: true, body: { status: 'Success', message: '', retryAfterSeconds: 0, items: [] } };
    },
  };
}

function toAssumption(hook: string): string {
  switch (hook) {
    case generatePatches.name:
      return 'taken to change nothing, so what it patched before shows as changed back';
    case validateTopology.name:
      return 'taken to find nothing wrong';
    case generateUpgradePlan.name:
      return 'without its plan nobody can tell the steps of the upgrade';
    default:
      return 'taken not to block';
  }
}
