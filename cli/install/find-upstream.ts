// Finds an installation of upstream's manager in a management cluster.
import { type Answer, answered, type Reads, type Unstructured } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';
import { partOf } from '../../infra/kubernetes/identities.ts';
import { toWebhookConfigurations } from '../../infra/kubernetes/webhook-configurations.ts';
import { UsageError } from '../../local/usage-error.ts';
import { clusterctlGroup, coreProviderType, inventoryVersion } from '../../shared/api/clusterctl-provider/crd.ts';
import { clientConfigSchema } from '../webhooks/switches.ts';

/** The label of all objects of Cluster API's core provider. */
const upstreamLabels = { 'cluster.x-k8s.io/provider': 'cluster-api' };

const configurations = toWebhookConfigurations({ url: '', certificateAuthority: undefined, failurePolicy: 'Fail' });

const providerSchema = z.object({
  type: z._default(z.string(), ''),
  version: z._default(z.string(), 'without a version'),
});
const hooksSchema = z.object({ webhooks: z._default(z.array(z.object({ clientConfig: clientConfigSchema })), []) });

/** Returns one line for each object of an installation. Throws UsageError if something cannot be read. */
export async function findUpstream(client: Pick<Reads, 'get' | 'list'>): Promise<readonly string[]> {
  const query = { apiVersion: 'apps/v1', kind: 'Deployment', labels: upstreamLabels, as: 'metadata' } as const;
  const deployments = itemsOf('Deployments', await client.list(query));
  const inventory = { apiVersion: `${clusterctlGroup}/${inventoryVersion}`, kind: 'Provider' };
  const providers = itemsOf('Providers', await client.list(inventory));
  const found = await Promise.all(
    configurations.map(async ({ apiVersion, kind, metadata: { name } }) => {
      const answer = await client.get({ apiVersion, kind, name });
      return itemsOf(`${kind} ${name}`, answer.ok ? answered([answer.value]) : answer);
    }),
  );
  return [
    ...deployments.map(object => `Deployment ${placeOf(object)} runs upstream's manager`),
    ...providers.flatMap(describeProvider),
    ...found.flat().flatMap(describeConfiguration),
  ];
}

/** What is not served has no objects. An object that does not exist is none. */
function itemsOf(what: string, answer: Answer<readonly Unstructured[]>): readonly Unstructured[] {
  if (!answer.ok && answer.failure.reason !== 'NotFound') {
    throw new UsageError(`${what} cannot be read: ${answer.failure.message}`);
  }
  return answer.ok ? answer.value : [];
}

function placeOf({ metadata: { namespace = '', name } }: Unstructured): string {
  return `${namespace}/${name}`;
}

function describeProvider(object: Unstructured): readonly string[] {
  const { type, version } = providerSchema.parse(object);
  const isOurs = object.metadata.labels?.['app.kubernetes.io/part-of'] === partOf;
  return type !== coreProviderType || isOurs
    ? []
    : [`Provider ${placeOf(object)} records a core provider, ${version}, that clusterctl installed`];
}

function describeConfiguration(object: Unstructured): readonly string[] {
  const { webhooks } = hooksSchema.parse(object);
  const service = webhooks.map(({ clientConfig }) => clientConfig.service).find(named => named !== undefined);
  return service === undefined
    ? []
    : [
        `${object.kind} ${object.metadata.name} calls Service ${service.namespace}/${service.name} of upstream's manager`,
      ];
}
