// Installs definitions on an API server. Fails the test with every problem.

import type { Kubernetes } from '@capi-serverless/apimachinery';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { type InstallableDefinition, requireCrds } from '../../local/crds.ts';

/** Only against an installation that hangs. A loaded machine needs more time than a user waits. */
const timeoutMs = 600_000;

export function installDefinitions(kubernetes: Kubernetes, crds: readonly InstallableDefinition[]): Promise<void> {
  return requireCrds(kubernetes, crds, { clock: systemClock, timeoutMs });
}
