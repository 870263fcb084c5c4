// Installs definitions on an API server. Fails the test with every problem.

import { type InstallableDefinition, requireCrds } from '../../local/crds.ts';
import type { Kubernetes } from '../../packages/apimachinery/client.ts';
import { systemClock } from '../../packages/apimachinery/system-clock.ts';

/** Only against an installation that hangs. A loaded machine needs more time than a user waits. */
const timeoutMs = 600_000;

export function installDefinitions(kubernetes: Kubernetes, crds: readonly InstallableDefinition[]): Promise<void> {
  return requireCrds(kubernetes, crds, { clock: systemClock, timeoutMs });
}
