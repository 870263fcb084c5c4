// Reads what an external remediation needs: the requests of the Machines, and the template if a request is missing.
import type { Reads } from '@capi-serverless/apimachinery';
import { getCondition } from '@capi-serverless/cluster-api/conditions';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import type { MachineHealthCheck } from '../../../shared/api/machine-health-check/reader.ts';
import { healthyType } from '../phases/condition-types.ts';
import type { JudgedTarget } from '../phases/health.ts';
import { type RequestKind, requestKindOf } from '../phases/plan-requests.ts';
import type { ExternalRemediation, ObservedRequest } from '../seen.ts';

interface Remediating {
  readonly check: MachineHealthCheck;
  readonly targets: readonly JudgedTarget[];
}

/** One list finds the requests of all Machines. A Machine that may have a request without the label is asked for. */
export async function readRemediation(
  { check, targets }: Remediating,
  ask: Pick<Reads, 'get' | 'list'>,
): Promise<ExternalRemediation> {
  const { templateRef } = check.spec.remediation;
  const { namespace } = check.metadata;
  const kind = requestKindOf(templateRef);
  const listed = await ask.list({ ...kind, namespace, labels: { [clusterNameLabel]: check.spec.clusterName } });
  if (!listed.ok && listed.failure.reason !== 'NotFound') {
    return unreadable(targets, listed.failure.message);
  }
  // A kind that is not served has no objects.
  const objects = new Map((listed.ok ? listed.value : []).map(object => [object.metadata.name, object]));
  const requests = new Map<string, ObservedRequest>();
  await Promise.all(
    targets.map(async target => {
      const { name } = target.machine.metadata;
      const object = objects.get(name);
      if (object !== undefined) {
        requests.set(name, { state: 'found', object });
      } else if (listed.ok && needsGet(target)) {
        requests.set(name, await getRequest({ ...kind, namespace, name }, ask));
      }
    }),
  );
  const isNeeded = targets.some(
    ({ machine, health }) =>
      health.state === 'unhealthy' && (requests.get(machine.metadata.name)?.state ?? 'missing') === 'missing',
  );
  return { requests, template: isNeeded ? await readTemplate(check, ask) : { state: 'notRead' } };
}

function unreadable(targets: readonly JudgedTarget[], error: string): ExternalRemediation {
  const requests = new Map(
    targets.map(({ machine }): [string, ObservedRequest] => [machine.metadata.name, { state: 'unreadable', error }]),
  );
  return { requests, template: { state: 'notRead' } };
}

/** An unhealthy Machine needs a request. One that was unhealthy may have one. */
function needsGet({ machine, health }: JudgedTarget): boolean {
  return (
    health.state === 'unhealthy' ||
    (health.state === 'healthy' && getCondition(machine.status.conditions, healthyType)?.status === 'False')
  );
}

async function getRequest(
  ref: RequestKind & { readonly namespace: string; readonly name: string },
  ask: Pick<Reads, 'get'>,
): Promise<ObservedRequest> {
  const answer = await ask.get(ref);
  if (answer.ok) {
    return { state: 'found', object: answer.value };
  }
  return answer.missing ? { state: 'missing' } : { state: 'unreadable', error: answer.failure.message };
}

async function readTemplate(
  { spec, metadata }: MachineHealthCheck,
  ask: Pick<Reads, 'get'>,
): Promise<Exclude<ExternalRemediation['template'], { readonly state: 'notRead' }>> {
  const { namespace } = metadata;
  const { templateRef } = spec.remediation;
  const answer = await ask.get({ ...templateRef, namespace });
  return answer.ok
    ? { state: 'found', object: answer.value }
    : {
        state: 'unreadable',
        error: `failed to retrieve ${templateRef.kind} ${namespace}/${templateRef.name}: ${answer.failure.message}`,
      };
}
