// What AWS refuses, or never reaches, because it is in another place than the deployment. Pure.
import { type Deployment, isToken } from './deployment-schema.ts';
import { hasFunctionUrls, hasLambdaExtras, partitionOf } from './regions.ts';

/** Returns one line about the first problem: the field and what to do. A deployment without `region` has none. */
export function findPlaceProblem(deployment: Deployment): string | undefined {
  const { region, account } = deployment;
  if (region === undefined) {
    return undefined;
  }
  const partition = partitionOf(region);
  if (partition === undefined) {
    return `region: ${region} is not a region of infra/aws/regions.ts; correct it, or add the region there`;
  }
  const foreign = namedArns(deployment).find(({ arn }) => arn.split(':')[1] !== partition);
  if (foreign !== undefined) {
    return `${foreign.field}: is in partition ${foreign.arn.split(':')[1]}, and ${region} is in ${partition}; name one of ${partition}`;
  }
  return findRegionProblem(deployment, region) ?? findAccountProblem(deployment, account);
}

function findRegionProblem(deployment: Deployment, region: string): string | undefined {
  const { monitoring } = deployment;
  const [url] = webhooksOf(deployment).filter(({ door }) => door === 'function-url');
  if (url !== undefined && !hasFunctionUrls(region)) {
    return `${url.field}.door: ${region} has no Function URLs; set it to http-api`;
  }
  if (monitoring.tracing && !hasLambdaExtras(region)) {
    return `monitoring.tracing: Lambda sends no spans in ${region}; set it to false`;
  }
  const topicRegion =
    monitoring.topic === undefined || isToken(monitoring.topic) ? region : partOf(monitoring.topic, 3);
  return topicRegion === region
    ? undefined
    : `monitoring.topic: is in ${topicRegion}, and alarms notify topics of their own region; name one of ${region}`;
}

/** A role trusts providers of its own account. Topics, secrets and keys may belong to another account. */
function findAccountProblem({ sources }: Deployment, account: string | undefined): string | undefined {
  const { forwarder } = sources;
  const other = forwarder?.kind === 'irsa' ? partOf(forwarder.oidcProvider, 4) : undefined;
  return account === undefined || other === undefined || other === account
    ? undefined
    : `sources.forwarder.oidcProvider: is of account ${other}, and a role trusts providers of its own account; name one of ${account}`;
}

/** The webhooks of API servers, with their fields. */
export function webhooksOf({
  sources,
  admission,
  conversion,
}: Pick<Deployment, 'sources' | 'admission' | 'conversion'>) {
  const webhooks = { 'sources.auditWebhook': sources.auditWebhook, admission, conversion };
  return Object.entries(webhooks).flatMap(([field, webhook]) => (webhook === undefined ? [] : [{ field, ...webhook }]));
}

function namedArns(deployment: Deployment): readonly { readonly field: string; readonly arn: string }[] {
  const { apiServer, settings, monitoring, sources, kmsKeyArn } = deployment;
  const own = apiServer.kind === 'kubeconfig' ? apiServer : undefined;
  const { forwarder } = sources;
  const named: Readonly<Record<string, string | undefined>> = {
    kmsKeyArn,
    'apiServer.secretArn': own?.secretArn,
    'apiServer.kmsKeyArn': own?.kmsKeyArn,
    'settings.extensionClientCertificateSecret': settings.extensionClientCertificateSecret,
    'settings.extensionClientCertificateKmsKeyArn': settings.extensionClientCertificateKmsKeyArn,
    'monitoring.topic': monitoring.topic,
    'sources.forwarder.oidcProvider': forwarder?.kind === 'irsa' ? forwarder.oidcProvider : undefined,
    ...Object.fromEntries(webhooksOf(deployment).map(each => [`${each.field}.kmsKeyArn`, each.kmsKeyArn])),
  };
  return Object.entries(named).flatMap(([field, arn]) => (arn === undefined || isToken(arn) ? [] : [{ field, arn }]));
}

function partOf(arn: string, index: number): string {
  return arn.split(':')[index] ?? '';
}
