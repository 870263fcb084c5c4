// Takes over the webhooks of upstream's manager, and gives them back. Reads first, decides for all objects, then writes.
import { crdNameOf, type Kubernetes, type ObjectRef, type Unstructured } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';
import { type PolicyUse, toWebhookConfigurations } from '../../infra/kubernetes/webhook-configurations.ts';
import { convertibleKinds } from '../../shared/conversion/kinds.ts';
import { readIfPresent } from '../read-object.ts';
import { askAdmission, askConversion, type Post, readReferencedKinds } from './ask-functions.ts';
import { missingPolicies } from './missing-policies.ts';
import { formerServices, giveBackConfiguration, takeOverConfiguration } from './switch-configuration.ts';
import { formerConversionServices, giveBackConversion, takeOverConversion } from './switch-conversion.ts';
import type { SwitchObject, SwitchStep } from './switches.ts';

interface TakeOver {
  readonly url: string | undefined;
  readonly conversionUrl: string | undefined;
  readonly certificateAuthority: string | undefined;
  readonly failurePolicy: 'Fail' | 'Ignore';
  readonly policies: PolicyUse;
}

/** The step of an object, and the decision about it, which is repeated if the object is changed meanwhile. */
interface ObjectSwitch {
  readonly step: SwitchStep;
  readonly decide: (found: SwitchObject) => SwitchStep;
}

/** The decision about all objects. With a problem, nothing is written. */
interface Decided {
  readonly switches: readonly ObjectSwitch[];
  readonly problems: readonly string[];
}

type Client = Pick<Kubernetes, 'get' | 'list' | 'mergePatch'>;

const configurationRefs: readonly ObjectRef[] = toWebhookConfigurations({
  url: '',
  certificateAuthority: undefined,
  failurePolicy: 'Fail',
}).map(({ apiVersion, kind, metadata: { name } }) => ({ apiVersion, kind, name }));

const definitionRefs: readonly ObjectRef[] = convertibleKinds.map(kind => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  name: crdNameOf(kind),
}));

/** Throws UsageError if an object cannot be read. */
export async function decideTakeOver(client: Client, options: TakeOver, post: Post): Promise<Decided> {
  const { url, conversionUrl, certificateAuthority, failurePolicy, policies } = options;
  const switches: ObjectSwitch[] = [];
  const problems: (string | undefined)[] = [];
  if (conversionUrl !== undefined) {
    problems.push(await askConversion(post, conversionUrl, await readReferencedKinds(client)));
    const found = await readAll(client, definitionRefs);
    const address = { url: conversionUrl, certificateAuthority };
    switches.push(
      ...convertibleKinds.map((kind, index) =>
        toSwitch(at(found, index), each => takeOverConversion(each, kind, address)),
      ),
    );
  }
  if (url !== undefined) {
    problems.push(await askAdmission(post, url), await missingPolicies(client, policies));
    const hooks = { url, certificateAuthority, failurePolicy };
    const [wanted, served] = [toWebhookConfigurations({ ...hooks, policies }), toWebhookConfigurations(hooks)];
    const found = await readAll(client, configurationRefs);
    switches.push(
      ...wanted.map((configuration, index) =>
        toSwitch(at(found, index), each =>
          takeOverConfiguration(each, { wanted: configuration, served: at(served, index) }),
        ),
      ),
    );
  }
  return { switches, problems: problems.filter(problem => problem !== undefined) };
}

/** Throws UsageError if an object cannot be read. */
export async function decideGiveBack(client: Client): Promise<Decided> {
  const definitions = await readAll(client, definitionRefs);
  const configurations = await readAll(client, configurationRefs);
  const switches = [
    ...definitions.map(found => toSwitch(found, giveBackConversion)),
    ...configurations.map(found => toSwitch(found, giveBackConfiguration)),
  ];
  const objectsOf = (found: readonly SwitchObject[]): readonly Unstructured[] =>
    found.flatMap(({ object }) => object ?? []);
  const services = [
    ...objectsOf(definitions).flatMap(formerConversionServices),
    ...objectsOf(configurations).flatMap(formerServices),
  ];
  const named = new Map(services.map(service => [`${service.namespace}/${service.name}`, service]));
  const problems = await Promise.all([...named.values()].map(service => problemOfService(client, service)));
  return { switches, problems: problems.filter(problem => problem !== undefined) };
}

function toSwitch(found: SwitchObject, decide: ObjectSwitch['decide']): ObjectSwitch {
  return { step: decide(found), decide };
}

export interface SwitchOutcome {
  readonly kind: string;
  readonly name: string;
  readonly outcome: 'switched' | 'would be switched' | 'unchanged' | 'refused' | 'not written';
  readonly changes?: readonly string[];
  readonly why?: string;
}

type Writer = Pick<Kubernetes, 'get' | 'mergePatch'>;

/** Writes each object once, unless it is a dry run, something is refused or there is a problem. */
export async function writeSwitches(
  client: Writer,
  { switches, problems }: Decided,
  dryRun: boolean,
): Promise<readonly SwitchOutcome[]> {
  const isRefused = problems.length > 0 || switches.some(({ step }) => step.is === 'refused');
  const outcomes: SwitchOutcome[] = [];
  for (const { step, decide } of switches) {
    outcomes.push(dryRun || isRefused ? toOutcome(step) : await writeStep(client, step, { decide, attempts }));
  }
  return outcomes;
}

/** After so many conflicts, another program changes the object all the time. */
const attempts = 10;

function toOutcome(step: SwitchStep): SwitchOutcome {
  const { kind, name } = step.ref;
  return step.is === 'switched'
    ? { kind, name, outcome: 'would be switched', changes: step.changes }
    : { kind, name, outcome: step.is, why: step.why };
}

/**
 * Reads and decides again if the object was changed meanwhile. A manager that has just started writes each CRD:
 * https://github.com/kubernetes-sigs/cluster-api/tree/main/controllers/crdmigrator
 */
async function writeStep(
  client: Writer,
  step: SwitchStep,
  { decide, attempts: left }: { readonly decide: ObjectSwitch['decide']; readonly attempts: number },
): Promise<SwitchOutcome> {
  if (step.is !== 'switched') {
    return toOutcome(step);
  }
  const { ref, changes, patch, resourceVersion } = step;
  const { kind, name } = ref;
  const written = await client.mergePatch(ref, patch, { resourceVersion });
  if (written.ok) {
    return { kind, name, outcome: 'switched', changes };
  }
  const { reason, message } = written.failure;
  const found = reason === 'Conflict' && left > 1 ? await client.get(ref) : written;
  if (!found.ok && !found.missing) {
    return { kind, name, outcome: 'not written', why: message, changes };
  }
  const object = found.ok ? found.value : undefined;
  return writeStep(client, decide({ ref, object }), { decide, attempts: left - 1 });
}

async function readAll(client: Client, refs: readonly ObjectRef[]): Promise<readonly SwitchObject[]> {
  return Promise.all(refs.map(async ref => ({ ref, object: await readIfPresent(client, ref) })));
}

function at<T>(list: readonly T[], index: number): T {
  const one = list[index];
  if (one === undefined) {
    throw new RangeError(`There is no object ${index}`);
  }
  return one;
}

const slice = z.object({
  endpoints: z._default(
    z.array(z.object({ conditions: z.optional(z.object({ ready: z.optional(z.nullable(z.boolean())) })) })),
    [],
  ),
});

/** A Service without a ready Pod would refuse all writes. */
async function problemOfService(
  client: Client,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<string | undefined> {
  const labels = { 'kubernetes.io/service-name': name };
  const slices = await client.list({ apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', namespace, labels });
  if (!slices.ok) {
    return `The endpoints of Service ${namespace}/${name} cannot be read: ${slices.failure.message}`;
  }
  const ready = slices.value
    .flatMap(each => slice.parse(each).endpoints)
    .filter(({ conditions }) => conditions?.ready !== false);
  return ready.length > 0
    ? undefined
    : `No Pod is ready behind Service ${namespace}/${name}, so writes of Cluster API objects would fail. Start upstream's manager first, with its watch filter`;
}
