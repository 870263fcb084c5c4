// Replaces extension servers that a plan must not call. Every hook approves and changes nothing.

import type { Hooks } from '../runtime-hooks/port.ts';
import {
  canUpdateMachineSet,
  generatePatches,
  generateUpgradePlan,
  validateTopology,
} from '../runtime-hooks/rules/catalog.ts';
import type { ExplainContext } from './face.ts';

/** Records every call that would be made. No response is cached. */
export function hooksThatAgree({ wouldAsk }: Pick<ExplainContext, 'wouldAsk'>): Hooks {
  return {
    services: 'dns',
    memory: { get: () => undefined, set: () => undefined },
    async exchange({ hook, url }) {
      const { origin, pathname } = new URL(url);
      const handler = pathname.split('/').at(-1) ?? '';
      wouldAsk(
        `the extension server at ${origin} by hook ${hook} (${handler}); ${toAssumption(hook)}; --call-hooks calls it`,
      );
      return hook === generateUpgradePlan.name
        ? { ok: false, why: 'exchange', error: 'not called: --call-hooks calls it' }
        : { ok: true, body: { status: 'Success', message: '', retryAfterSeconds: 0, items: [] } };
    },
  };
}

function toAssumption(hook: string): string {
  switch (hook) {
    case generatePatches.name:
      return 'assumed to change nothing, so its earlier patches are shown as reverted';
    case canUpdateMachineSet.name:
      return 'without its answer Machines are shown as replaced';
    case validateTopology.name:
      return 'assumed to find no problem';
    case generateUpgradePlan.name:
      return 'without its plan the steps of the upgrade are unknown';
    default:
      return 'assumed not to block';
  }
}
