// Takes over the webhooks of upstream's manager, and gives them back. Reads first, decides for all objects, then writes.
import { crdNameOf, type Kubernetes, type ObjectRef, type Unstructured } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';
import { type PolicyUse, toWebhookConfigurations } from '../../infra/kubernetes/webhook-configurations.ts';
import { UsageError } from '../../local/usage-error.ts';
import { convertibleKinds } from '../../shared/conversion/kinds.ts';
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

/** The decision about all objects. With a problem, nothing is written. */
interface Decided {
  readonly steps: readonly SwitchStep[];
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
  const steps: SwitchStep[] = [];
  const problems: (string | undefined)[] = [];
  if (conversionUrl !== undefined) {
    problems.push(await askConversion(post, conversionUrl, await readReferencedKinds(client)));
    const found = await readAll(client, definitionRefs);
    const address = { url: conversionUrl, certificateAuthority };
    steps.push(...convertibleKinds.map((kind, index) => takeOverConversion(at(found, index), kind, address)));
  }
  if (url !== undefined) {
    problems.push(await askAdmission(post, url), await missingPolicies(client, policies));
    const hooks = { url, certificateAuthority, failurePolicy };
    const [wanted, served] = [toWebhookConfigurations({ ...hooks, policies }), toWebhookConfigurations(hooks)];
    const found = await readAll(client, configurationRefs);
    steps.push(
      ...wanted.map((configuration, index) =>
        takeOverConfiguration(at(found, index), { wanted: configuration, served: at(served, index) }),
      ),
    );
  }
  return { steps, problems: problems.filter(problem => problem !== undefined) };
}

/** Throws UsageError if an object cannot be read. */
export async function decideGiveBack(client: Client): Promise<Decided> {
  const definitions = await readAll(client, definitionRefs);
  const configurations = await readAll(client, configurationRefs);
  const steps = [...definitions.map(giveBackConversion), ...configurations.map(giveBackConfiguration)];
  const objectsOf = (found: readonly SwitchObject[]): readonly Unstructured[] =>
    found.flatMap(({ object }) => object ?? []);
  const services = [
    ...objectsOf(definitions).flatMap(formerConversionServices),
    ...objectsOf(configurations).flatMap(formerServices),
  ];
  const named = new Map(services.map(service => [`${service.namespace}/${service.name}`, service]));
  const problems = await Promise.all([...named.values()].map(service => problemOfService(client, service)));
  return { steps, problems: problems.filter(problem => problem !== undefined) };
}

export interface SwitchOutcome {
  readonly kind: string;
  readonly name: string;
  readonly outcome: 'switched' | 'would be switched' | 'unchanged' | 'refused' | 'not written';
  readonly changes?: readonly string[];
  readonly why?: string;
}

/** Writes each object once, unless it is a dry run, something is refused or there is a problem. */
export async function writeSteps(
  client: Pick<Kubernetes, 'mergePatch'>,
  { steps, problems }: Decided,
  dryRun: boolean,
): Promise<readonly SwitchOutcome[]> {
  const isRefused = problems.length > 0 || steps.some(({ is }) => is === 'refused');
  const outcomes: SwitchOutcome[] = [];
  for (const step of steps) {
    outcomes.push(await writeStep(client, step, dryRun || isRefused));
  }
  return outcomes;
}

async function writeStep(
  client: Pick<Kubernetes, 'mergePatch'>,
  step: SwitchStep,
  dryRun: boolean,
): Promise<SwitchOutcome> {
  const { kind, name } = step.ref;
  if (step.is !== 'switched') {
    return { kind, name, outcome: step.is, why: step.why };
  }
  const { changes, patch, resourceVersion } = step;
  if (dryRun) {
    return { kind, name, outcome: 'would be switched', changes };
  }
  const answer = await client.mergePatch(step.ref, patch, { resourceVersion });
  return answer.ok
    ? { kind, name, outcome: 'switched', changes }
    : { kind, name, outcome: 'not written', why: answer.failure.message, changes };
}

async function readAll(client: Client, refs: readonly ObjectRef[]): Promise<readonly SwitchObject[]> {
  return Promise.all(
    refs.map(async ref => {
      const answer = await client.get(ref);
      if (!answer.ok && !answer.missing) {
        throw new UsageError(`${ref.kind} ${ref.name} cannot be read: ${answer.failure.message}`);
      }
      return { ref, object: answer.ok ? answer.value : undefined };
    }),
  );
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
