// Asks a workload cluster for what the due objects need: their kinds, and with Reconcile the objects themselves. A tenant
// may control the server, so what is kept of its answers is limited.
import {
  type Answer,
  type ApiFailure,
  type Checked,
  invalid,
  type ObjectRef,
  valid,
  WorkLimitError,
  type WorkMeter,
} from '@capi-serverless/apimachinery';
import { isConnectionDown, type ServedResource, type WorkloadReads } from '../../../shared/workload/api.ts';
import type { ObjectManifest } from '../phases/manifest.ts';
import { apiVersionsOf, placeOf } from '../phases/plan-object.ts';
import type { Discovered, DueResource, LiveObject, ObservedWorkload } from '../seen.ts';

/** Each of them needs a request. */
const mostVersions = 100;
/** API servers store no larger objects. */
const mostCharacters = 1_572_864;
/** The memory of an object is a multiple of its text. */
const unitsPerCharacter = 8;

interface WorkloadContext {
  readonly strategy: string;
  readonly workload: Pick<WorkloadReads, 'get' | 'resources'>;
  readonly meter?: WorkMeter | undefined;
}

/** The cluster is down if it does not answer a request for its kinds, or answers that it cannot. */
export async function readWorkload(due: readonly DueResource[], context: WorkloadContext): Promise<ObservedWorkload> {
  const { strategy, workload } = context;
  const manifests = due.flatMap(resource => resource.manifests);
  const versions = apiVersionsOf(manifests);
  const kinds = new Set(manifests.map(({ kind }) => kind));
  const answers = await Promise.all(
    versions.slice(0, mostVersions).map(async version => [version, await workload.resources(version)] as const),
  );
  if (answers.some(([, answer]) => isDown(answer))) {
    return { state: 'down' };
  }
  const tooMany = invalid(`limit exceeded: the objects have more than ${mostVersions} API versions`);
  const discovered: Discovered = new Map([
    ...answers.map(([version, answer]) => [version, keptOf(answer, kinds)] as const),
    ...versions.slice(mostVersions).map(version => [version, tooMany] as const),
  ]);
  const live = strategy === 'Reconcile' ? await readObjects(due, discovered, context) : [];
  return { state: 'connected', discovered, live: new Map(live) };
}

const overloaded: ReadonlySet<ApiFailure['reason']> = new Set(['Unavailable', 'InternalError', 'TooManyRequests']);

function isDown(answer: Answer<unknown>): boolean {
  return !answer.ok && (isConnectionDown(answer.failure) || overloaded.has(answer.failure.reason));
}

function keptOf(
  answer: Answer<readonly ServedResource[]>,
  kinds: ReadonlySet<string>,
): Checked<readonly ServedResource[]> {
  return answer.ok ? valid(answer.value.filter(({ kind }) => kinds.has(kind))) : invalid(answer.failure.message);
}

function readObjects(
  due: readonly DueResource[],
  discovered: Discovered,
  { strategy, workload, meter }: WorkloadContext,
): Promise<readonly (readonly [ObjectManifest, LiveObject])[]> {
  const reading = due.flatMap(({ kind, manifests }) =>
    manifests.map(async (manifest): Promise<readonly [ObjectManifest, LiveObject]> => {
      const place = placeOf(manifest, discovered, strategy);
      return [
        manifest,
        place.ok ? await readLive(place.value, { isSecret: kind === 'Secret', workload, meter }) : { state: 'unread' },
      ];
    }),
  );
  return Promise.all(reading);
}

interface ReadingLive extends Omit<WorkloadContext, 'strategy'> {
  /** Whether a Secret describes the object. Errors then contain only the reason. */
  readonly isSecret: boolean;
}

async function readLive(place: ObjectRef, { isSecret, workload, meter }: ReadingLive): Promise<LiveObject> {
  if (meter?.left === 0) {
    return tooLarge;
  }
  const answer = await workload.get(place);
  if (answer.ok) {
    return isAcceptable(answer.value, meter) ? { state: 'found', object: answer.value } : tooLarge;
  }
  return answer.missing
    ? { state: 'missing' }
    : { state: 'unreadable', error: isSecret ? answer.failure.reason : answer.failure.message };
}

const tooLarge: LiveObject = {
  state: 'unreadable',
  error: 'limit exceeded: the object, or all objects, are too large',
};

function isAcceptable(object: unknown, meter: WorkMeter | undefined): boolean {
  const { length } = JSON.stringify(object);
  try {
    meter?.charge(length * unitsPerCharacter);
  } catch (error) {
    if (error instanceof WorkLimitError) {
      return false;
    }
    throw error;
  }
  return length <= mostCharacters;
}
