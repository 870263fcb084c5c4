// Installs manifests by server-side apply. Reads first, decides for all objects, then writes.
import {
  type Answer,
  type ApiFailure,
  type Intent,
  isJsonObject,
  type Kubernetes,
  memberOf,
  type ObjectRef,
  sameJson,
  toRef,
  type Unstructured,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import { readIfPresent } from '../read-object.ts';
import type { WebhookClient } from '../webhooks/switches.ts';
import { coreDefinitionOf, decideDefinition } from './decide-definition.ts';
import { findUpstream } from './find-upstream.ts';

type InstallClient = Pick<Kubernetes, 'apply' | 'dryRun' | 'get' | 'list'>;

/** With a problem, nothing is written. */
interface DecidedInstallation {
  readonly objects: readonly Intent[];
  readonly problems: readonly string[];
}

const definition = 'CustomResourceDefinition';

/** The order of writes. Kinds that are not named here come before the last one. */
const waves: ReadonlyMap<string, number> = new Map([
  ['Namespace', 0],
  [definition, 1],
  ['Provider', 3],
]);
const usualWave = 2;
const lastWave = 3;

/** Returns the place of an object in the order of writes. */
export function waveOf({ kind }: Pick<Intent, 'kind'>): number {
  return waves.get(kind) ?? usualWave;
}

/** An upgrade of this project owns all fields of its manifests, also those that other managers have set. */
const applyOptions = { fieldManager: 'capi-serverless-install', force: true } as const;

const remedy =
  'This command is for management clusters without upstream\'s manager. For others, "Take over from upstream\'s manager" in docs/take-over.md has the steps';

/** Throws UsageError if an object cannot be read. */
export async function decideInstallation(
  client: InstallClient,
  manifests: readonly Intent[],
  address: WebhookClient | undefined,
): Promise<DecidedInstallation> {
  const upstream = await findUpstream(client);
  const decided = await Promise.all(manifests.map(manifest => decideObject(client, manifest, address)));
  const found = [...upstream, ...decided.flatMap(({ refused }) => refused ?? [])];
  return {
    objects: decided.flatMap(({ wanted }) => wanted ?? []),
    problems: found.length === 0 ? [] : [...found, remedy],
  };
}

/** Without both, an object is kept as it is. */
interface DecidedObject {
  readonly wanted?: Intent;
  readonly refused?: string;
}

async function decideObject(
  client: InstallClient,
  manifest: Intent,
  address: WebhookClient | undefined,
): Promise<DecidedObject> {
  if (manifest.kind !== definition) {
    return { wanted: manifest };
  }
  const { name } = manifest.metadata;
  const existing = await readIfPresent(client, toRef(manifest));
  const core = coreDefinitionOf(manifest);
  if (core === undefined) {
    // A clusterctl of a later release may have installed its inventory with further versions.
    return existing === undefined ? { wanted: manifest } : {};
  }
  const decided = decideDefinition(core, existing, address);
  return 'refused' in decided ? { refused: `${definition} ${name} ${decided.refused}` } : decided;
}

type InstallOutcome = 'created' | 'changed' | 'unchanged' | 'would be created' | 'would be changed' | 'refused';

export interface InstalledObject extends Pick<ObjectRef, 'kind' | 'namespace' | 'name'> {
  readonly outcome: InstallOutcome;
  readonly why?: string;
}

interface InstallWrites {
  readonly dryRun: boolean;
  /** Waits until the API server serves the kinds of these definitions. Returns one line for each that it does not. */
  untilServed(definitions: readonly Intent[]): Promise<readonly string[]>;
}

/** What was written. After a problem, the objects of later waves are not written. */
interface Installed {
  readonly objects: readonly InstalledObject[];
  readonly problems: readonly string[];
}

/** Writes namespaces, definitions, other objects, and the entry of the inventory, which says that all is there. */
export async function writeInstallation(
  client: InstallClient,
  { objects, problems }: DecidedInstallation,
  { dryRun, untilServed }: InstallWrites,
): Promise<Installed> {
  const done: InstalledObject[] = [];
  for (let wave = 0; wave <= lastWave && problems.length === 0; wave += 1) {
    const members = objects.filter(object => waveOf(object) === wave);
    done.push(...(await Promise.all(members.map(object => writeOne(client, object, dryRun)))));
    if (dryRun) {
      continue;
    }
    if (done.some(({ outcome }) => outcome === 'refused')) {
      return { objects: done, problems: ['Further objects were not written. Run the command again'] };
    }
    const unserved = await untilServed(members.filter(({ kind }) => kind === definition));
    if (unserved.length > 0) {
      return { objects: done, problems: unserved };
    }
  }
  return { objects: done, problems };
}

async function writeOne(client: InstallClient, object: Intent, dryRun: boolean): Promise<InstalledObject> {
  const { kind, namespace, name } = toRef(object);
  const named = { kind, ...withoutUndefined({ namespace }), name };
  const before = await client.get(toRef(object));
  if (!before.ok && before.failure.reason !== 'NotFound') {
    return { ...named, outcome: 'refused', why: reasonOf(before.failure) };
  }
  const after = await (dryRun ? client.dryRun : client).apply(object, applyOptions);
  if (after.ok) {
    return { ...named, outcome: toOutcome(before, after.value, dryRun) };
  }
  // In a dry run, neither its namespace nor its definition exists.
  return dryRun && !before.ok && after.failure.reason === 'NotFound'
    ? { ...named, outcome: 'would be created' }
    : { ...named, outcome: 'refused', why: reasonOf(after.failure) };
}

function reasonOf({ message, causes = [] }: ApiFailure): string {
  return causes.length === 0 ? message : causes.join('; ');
}

function toOutcome(before: Answer<Unstructured>, after: Unstructured, dryRun: boolean): InstallOutcome {
  if (!before.ok) {
    return dryRun ? 'would be created' : 'created';
  }
  if (dryRun) {
    return sameJson(withoutMarks(before.value), withoutMarks(after)) ? 'unchanged' : 'would be changed';
  }
  return before.value.metadata.resourceVersion === after.metadata.resourceVersion ? 'unchanged' : 'changed';
}

/** Without what each write changes. */
function withoutMarks({ metadata, ...rest }: Unstructured): object {
  const { resourceVersion: _, generation: __, ...kept } = metadata;
  const managed = memberOf(metadata, 'managedFields');
  const managedFields = (Array.isArray(managed) ? managed : []).map(entry =>
    isJsonObject(entry) ? { ...entry, time: '' } : entry,
  );
  return { ...rest, metadata: { ...kept, managedFields } };
}
