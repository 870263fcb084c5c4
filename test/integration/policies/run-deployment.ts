// Runs the packaged functions of a deployment with the embedded API server, and records their calls to AWS.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SQSClient } from '@aws-sdk/client-sqs';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { type ApiServerOptions, startApiServer, writeKubeconfig } from '@capi-serverless/apiserver';
import { declarations } from '../../../functions/declarations.ts';
import { toPhysicalName } from '../../../infra/aws/physical-names.ts';
import {
  allFunctions,
  deployedFunctions,
  toReconcilerFunctions,
  toSharedFunction,
} from '../../../infra/function-plans.ts';
import { type EventSourceMapping, startEventSourceMapping } from '../../../local/event-source-mapping.ts';
import { localAccount, localRegion } from '../../../local/local-lambda.ts';
import { simulatedCrds } from '../../../local/provider/crds/index.ts';
import type { ApiServer } from '../../../packages/apiserver/server.ts';
import { coreCrds } from '../../../shared/api/crds.ts';
import { readManagementCluster } from '../../../shared/lambda/runtime.ts';
import type { Queues } from '../../../shared/workqueue/port.ts';
import {
  heartbeatQueueSpec,
  type QueueSpec,
  toConsumers,
  toQueueSpecs,
  type WorkQueueLayout,
} from '../../../shared/workqueue/queue-specs.ts';
import { createSqsQueues } from '../../../shared/workqueue/sqs/sqs-queues.ts';
import { auditToken } from '../../support/audit-poster.ts';
import { anIdentity, type FakeExtensionServer, startExtensionServer } from '../../support/extension-server.ts';
import { type HostedFunction, hostFunction } from '../../support/hosted-functions.ts';
import type { ResolvedStatement } from '../../support/iam.ts';
import { installDefinitions } from '../../support/install-definitions.ts';
import { aRecordingLog } from '../../support/kernel.ts';
import { type Packaged, packageDeployment } from '../../support/packaged.ts';
import { realise } from '../../support/realised.ts';
import { type RecordedAws, type RecordedCall, type SecretOnAws, startRecordedAws } from '../../support/recorded-aws.ts';
import { everyGate } from '../../support/synthesised.ts';
import { timeLimitFactor } from '../../support/time-limits.ts';
import { connectWorldClient, type WorldClient } from '../../support/world-client.ts';
import { eksUsers } from './eks-cluster.ts';
import { forwarderName, type HostedForwarder, hostForwarder } from './hosted-forwarder.ts';
import { playScenario } from './scenario.ts';

export interface DeploymentRun {
  readonly calls: readonly RecordedCall[];
  /** The statements of the role of each function. */
  readonly statements: ReadonlyMap<string, readonly ResolvedStatement[]>;
}

/** What a scenario acts on. */
export interface RunningDeployment {
  readonly server: ApiServer;
  readonly client: WorldClient;
  readonly managementCluster: string;
  readonly functions: ReadonlyMap<string, HostedFunction>;
  /** For the scenario itself. Its calls belong to no function. */
  readonly queues: Queues;
  readonly secrets: ReadonlyMap<string, SecretOnAws>;
  readonly extensions: FakeExtensionServer;
  /** Whether audit events come from the log of EKS, and not from an API server. */
  readonly isAuditLogSource: boolean;
  /** Undefined: the deployment has none. */
  readonly forwarder: HostedForwarder | undefined;
}

const place = { partition: 'aws', region: localRegion, account: localAccount };

export interface DeploymentInput {
  readonly name: string;
  readonly layout?: WorkQueueLayout;
  /** The endpoint and the certificate of an EKS cluster are those of the embedded API server. */
  readonly apiServer:
    | { readonly kind: 'kubeconfig'; readonly secretArn: string; readonly kmsKeyArn?: string }
    | { readonly kind: 'eks'; readonly cluster: string };
  readonly sources: {
    readonly windowed?: boolean;
    readonly auditWebhook?: { readonly kmsKeyArn?: string };
    readonly auditLogOf?: string;
    readonly forwarder?: { readonly kind: 'pod-identity'; readonly cluster: string };
  };
  readonly settings: {
    readonly extensionClientCertificateSecret: string;
    readonly extensionClientCertificateKmsKeyArn?: string;
  };
  /** The key of queues, logs and environments. */
  readonly kmsKeyArn?: string;
}

export async function runDeployment(given: DeploymentInput): Promise<DeploymentRun> {
  const folder = mkdtempSync(path.join(tmpdir(), 'capi-policies-'));
  let authenticate: ApiServerOptions['authenticate'];
  const [server, identity] = await Promise.all([
    startApiServer({ authenticate: token => authenticate?.(token) }),
    anIdentity(),
  ]);
  const extensions = await startExtensionServer(identity);
  const kubeconfig = path.join(folder, 'kubeconfig');
  writeKubeconfig(kubeconfig, server.kubeconfig);
  const client = await connectWorldClient(kubeconfig);
  const managementCluster = await readManagementCluster(client.kubernetes);
  const settings = { ...given.settings, featureGates: everyGate, remoteAddresses: 'any', logLevel: 'error' };
  const deployment = { ...given, apiServer: toApiServer(given, server), managementCluster, settings };
  const packaged = await packageDeployment(deployment, folder);
  if (given.apiServer.kind === 'eks') {
    authenticate = eksUsers(given.apiServer.cluster, packaged.stack);
  }
  const secrets = secretsOf(given, packaged, {
    kubeconfig: server.kubeconfig,
    certificate: `${identity.certificate}\n${identity.privateKey}`,
  });
  const aws = await startRecordedAws(place, { queues: queuesOf(given), queueKeyArn: given.kmsKeyArn, secrets });
  const functions = await hostFunctions(packaged, aws, folder);
  const mappings = startMappings(given, functions, aws);
  // A watch of a kind that is not served yet is tried again later, maybe after the scenario.
  await installDefinitions(client.kubernetes, [...coreCrds, ...simulatedCrds]);
  const forwarder = given.sources.forwarder && (await startForwarder(packaged, { aws, kubeconfig, folder }));
  try {
    const queues = queuesAs('scenario', given, aws);
    const isAuditLogSource = given.sources.auditLogOf !== undefined;
    const running = { server, client, managementCluster, functions, queues, secrets, extensions };
    await playScenario({ ...running, forwarder, isAuditLogSource });
  } finally {
    forwarder?.kill();
    await Promise.all(mappings.map(mapping => mapping.stop()));
    for (const each of functions.values()) {
      each.stop();
    }
    await Promise.all([aws.stop(), extensions.close(), server.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }
  const statements = statementsOf(packaged, given.sources);
  return { calls: aws.calls.filter(({ caller }) => statements.has(caller)), statements };
}

function toApiServer({ apiServer }: DeploymentInput, { url, caPem }: ApiServer): object {
  return apiServer.kind === 'kubeconfig'
    ? apiServer
    : { ...apiServer, endpoint: url, certificateAuthority: Buffer.from(caPem).toString('base64') };
}

/** ARNs of secrets that the stack creates are those of `realise`. */
function tokenSecretOf({ stack }: Packaged): string | undefined {
  return realise(stack, place).arns.find(arn => arn.includes(':secretsmanager:'));
}

function secretsOf(
  { apiServer, sources, settings }: DeploymentInput,
  packaged: Packaged,
  values: { readonly kubeconfig: string; readonly certificate: string },
): ReadonlyMap<string, SecretOnAws> {
  const withValue = (value: string, kmsKeyArn: string | undefined): SecretOnAws => ({
    stages: new Map([['AWSCURRENT', value]]),
    kmsKeyArn,
  });
  const token = tokenSecretOf(packaged);
  return new Map([
    ...(apiServer.kind === 'eks'
      ? []
      : [[apiServer.secretArn, withValue(values.kubeconfig, apiServer.kmsKeyArn)] as const]),
    [
      settings.extensionClientCertificateSecret,
      withValue(values.certificate, settings.extensionClientCertificateKmsKeyArn),
    ],
    ...(token === undefined ? [] : [[token, withValue(auditToken, sources.auditWebhook?.kmsKeyArn)] as const]),
  ]);
}

const layoutOf = ({ layout = 'per-kind' }: DeploymentInput): WorkQueueLayout => layout;

function queuesOf(deployment: DeploymentInput): readonly QueueSpec[] {
  const physical = (name: string): string => toPhysicalName(deployment.name, name);
  return [...toQueueSpecs(toConsumers(declarations, layoutOf(deployment))), heartbeatQueueSpec].map(spec => ({
    ...spec,
    name: physical(spec.name),
    ...(spec.redrive === undefined
      ? {}
      : { redrive: { ...spec.redrive, deadLetterQueue: physical(spec.redrive.deadLetterQueue) } }),
  }));
}

async function hostFunctions(
  packaged: Packaged,
  aws: RecordedAws,
  folder: string,
): Promise<ReadonlyMap<string, HostedFunction>> {
  const authority = path.join(folder, 'authority.pem');
  writeFileSync(authority, aws.certificateAuthority);
  const made = {
    ref: (id: string) =>
      realise(packaged.stack, place).arns.find(arn => arn.includes(`:secret:${packaged.stack.deployment}-${id}-`)) ??
      id,
    attribute: (id: string) => id,
  };
  const hosted = packaged.functions(made, place, aws.queueEndpoint).map(async each => {
    const more = { ...aws.environmentOf(each.name), NODE_EXTRA_CA_CERTS: authority };
    const started = await hostFunction(each, more);
    const logGroup = `arn:aws:logs:${place.region}:${place.account}:log-group:/aws/lambda/${packaged.stack.deployment}-${each.name}:*`;
    // Lambda writes what a function prints with the role of the function.
    const record = (action: string): void => aws.record({ caller: each.name, action, resource: logGroup });
    const logging: HostedFunction = {
      ...started,
      invoke: event => {
        record('logs:CreateLogStream');
        record('logs:PutLogEvents');
        return started.invoke(event);
      },
    };
    return [each.name, logging] as const;
  });
  return new Map(await Promise.all(hosted));
}

function startForwarder(
  { stack }: Packaged,
  { aws, kubeconfig, folder }: { readonly aws: RecordedAws; readonly kubeconfig: string; readonly folder: string },
): Promise<HostedForwarder> {
  const environment = {
    ...aws.environmentOf(forwarderName),
    CAPI_QUEUE_URLS: outputOf(stack, 'ForwarderQueueUrls').replace(/^https:\/\/[^/]+/, aws.queueEndpoint),
    CAPI_KUBECONFIG: kubeconfig,
    CAPI_FEATURE_GATES: everyGate,
  };
  return hostForwarder(environment, folder);
}

function queuesAs(name: string, deployment: DeploymentInput, aws: RecordedAws): Queues {
  const { AWS_ACCESS_KEY_ID: accessKeyId = '', AWS_SECRET_ACCESS_KEY: secretAccessKey = '' } = aws.environmentOf(name);
  const client = new SQSClient({
    endpoint: aws.queueEndpoint,
    region: place.region,
    credentials: { accessKeyId, secretAccessKey },
  });
  const specs = toQueueSpecs(toConsumers(declarations, layoutOf(deployment)));
  const queueUrls = Object.fromEntries(
    specs.map(spec => [
      spec.name,
      `${aws.queueEndpoint}/${place.account}/${toPhysicalName(deployment.name, spec.name)}`,
    ]),
  );
  return createSqsQueues({ queueUrls, client, timeLimitFactor });
}

/** Lambda receives and deletes messages with the role of the function, and reads the attributes of its queue. */
function startMappings(
  deployment: DeploymentInput,
  functions: ReadonlyMap<string, HostedFunction>,
  aws: RecordedAws,
): readonly EventSourceMapping[] {
  const plans = [...deployedFunctions, toSharedFunction(toReconcilerFunctions(declarations, 'functions'))];
  return plans.flatMap(({ name, queue, batchSize }) => {
    const hosted = functions.get(name);
    if (hosted === undefined) {
      return [];
    }
    const resource = `arn:aws:sqs:${place.region}:${place.account}:${toPhysicalName(deployment.name, queue)}`;
    aws.record({ caller: name, action: 'sqs:GetQueueAttributes', resource });
    const mapping = startEventSourceMapping({
      queue,
      batchSize,
      queues: queuesAs(name, deployment, aws),
      target: { name, timeoutSeconds: hosted.timeoutSeconds, handler: event => hosted.invoke(event) },
      clock: systemClock,
      log: aRecordingLog(),
      waitSeconds: 1,
    });
    return [mapping];
  });
}

function statementsOf({ stack }: Packaged, { forwarder }: DeploymentInput['sources']): DeploymentRun['statements'] {
  const { roles } = realise(stack, place);
  const names = allFunctions.map(({ name }) => name).filter(name => hasFunction(stack, name));
  const ofFunctions = names.map(name => {
    const role = `arn:aws:iam::${place.account}:role/${stack.deployment}-${stack.roleOf(name)}`;
    return [name, roles.get(role) ?? []] as const;
  });
  const ofPods =
    forwarder === undefined ? [] : [[forwarderName, roles.get(outputOf(stack, 'ForwarderRole')) ?? []] as const];
  return new Map([...ofFunctions, ...ofPods]);
}

/** Returns the value of the output with `name` in its logical id. Throws if there is none. */
function outputOf(stack: Packaged['stack'], name: string): string {
  const found = [...realise(stack, place).outputs].find(([id]) => id.includes(name));
  if (found === undefined) {
    throw new Error(`The template has no output ${name}`);
  }
  return String(found[1]);
}

function hasFunction(stack: Packaged['stack'], name: string): boolean {
  return stack
    .all('AWS::Lambda::Function')
    .some(({ Properties }) => Properties['FunctionName'] === `${stack.deployment}-${name}`);
}
