// Switches a webhook configuration between upstream's Service and the admission function. Pure.
import type { Unstructured } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';
import type { WebhookConfiguration } from '../../infra/kubernetes/webhook-configurations.ts';
import {
  changedLines,
  clientConfigSchema,
  describeClient,
  formerAnnotationsSchema,
  givenBack,
  isTakenOver,
  notOurs,
  readFormer,
  type SwitchObject,
  type SwitchStep,
  takenOver,
  type WebhookClient,
  withoutFormer,
} from './switches.ts';

const texts = z._default(z.array(z.string()), []);

const hooksSchema = z.array(
  z.looseObject({
    name: z.string(),
    clientConfig: clientConfigSchema,
    failurePolicy: z._default(z.string(), 'Fail'),
    rules: z._default(z.array(z.looseObject({ apiGroups: texts, resources: texts, operations: texts })), []),
  }),
);
type Hooks = z.infer<typeof hooksSchema>;

const formerSchema = z.object({ annotations: formerAnnotationsSchema, webhooks: hooksSchema });

/** Returns the services of the former value. */
export function formerServices(object: Unstructured): readonly NonNullable<WebhookClient['service']>[] {
  const hooks = readFormer(object, formerSchema)?.webhooks ?? [];
  return hooks.flatMap(({ clientConfig }) => clientConfig.service ?? []);
}

interface WantedHooks {
  readonly wanted: WebhookConfiguration;
  /** All hooks that the function serves. Policies replace those that are not wanted. */
  readonly served: WebhookConfiguration;
}

export function takeOverConfiguration({ ref, object }: SwitchObject, { wanted, served }: WantedHooks): SwitchStep {
  if (object === undefined) {
    const why = 'does not exist: create it with "capi-serverless webhooks --url URL | kubectl create -f -"';
    return { ref, is: 'refused', why };
  }
  const hooks = readHooks(object);
  const unserved = hooks.flatMap(hook => unservedBy(served, hook));
  if (unserved.length > 0) {
    return { ref, is: 'refused', why: `has hooks that the admission function does not serve: ${unserved.join(', ')}` };
  }
  return takenOver(ref, object, {
    isOurs: isTakenOver(object) && hooks.every(({ clientConfig }) => !clientConfig.service),
    isSame: hooks.length === wanted.webhooks.length && wanted.webhooks.every(hook => isSame(hooks, hook)),
    former: { webhooks: object['webhooks'] },
    patch: { webhooks: wanted.webhooks },
    changes: toChanges(hooks, readWanted(wanted)),
    callee: 'admission',
  });
}

export function giveBackConfiguration({ ref, object }: SwitchObject): SwitchStep {
  if (object === undefined) {
    return { ref, is: 'unchanged', why: 'does not exist' };
  }
  const hooks = readHooks(object);
  if (hooks.every(({ clientConfig }) => clientConfig.service !== undefined)) {
    return notOurs(ref, object, 'calls a Service');
  }
  const former = readFormer(object, formerSchema);
  if (former === undefined) {
    return withoutFormer(ref);
  }
  const { annotations, webhooks } = former;
  return givenBack(ref, object, { annotations, patch: { webhooks }, changes: toChanges(hooks, webhooks) });
}

function readHooks(object: Unstructured): Hooks {
  return hooksSchema.parse(object['webhooks'] ?? []);
}

function readWanted({ webhooks }: WebhookConfiguration): Hooks {
  return hooksSchema.parse(webhooks);
}

/** The API server adds defaults to hooks, so only what a take-over writes is compared. */
function isSame(
  hooks: Hooks,
  { name, clientConfig, failurePolicy }: WebhookConfiguration['webhooks'][number],
): boolean {
  const found = hooks.find(hook => hook.name === name);
  const { url, caBundle } = found?.clientConfig ?? {};
  return url === clientConfig.url && caBundle === clientConfig.caBundle && found?.failurePolicy === failurePolicy;
}

/** Returns the hook with its requests that no served hook gets. */
function unservedBy({ webhooks }: WebhookConfiguration, { name, rules }: Hooks[number]): readonly string[] {
  const requests = rules.flatMap(({ apiGroups, resources, operations }) =>
    apiGroups.flatMap(group => resources.map(resource => ({ group, resource, operations }))),
  );
  return requests.flatMap(({ group, resource, operations }) => {
    const served = webhooks
      .flatMap(({ rules: own }) => own)
      .filter(rule => rule.apiGroups.includes(group) && rule.resources.includes(resource))
      .flatMap(rule => rule.operations);
    const missing = operations.filter(operation => !served.includes(operation));
    return missing.length === 0 ? [] : [`${name} (${missing.join(', ')} of ${resource}.${group})`];
  });
}

function toChanges(before: Hooks, after: Hooks): readonly string[] {
  const describe = (hooks: Hooks, name: string): string | undefined => {
    const hook = hooks.find(each => each.name === name);
    return hook && `${describeClient(hook.clientConfig)}, ${hook.failurePolicy}`;
  };
  const names = new Set([...before, ...after].map(({ name }) => name));
  return [...names].flatMap(name => changedLines(name, describe(before, name), describe(after, name)));
}
