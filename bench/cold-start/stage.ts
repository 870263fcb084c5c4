// The environment of a measured function, and an event that it refuses without any request.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { SQSEvent } from 'aws-lambda';

export const messageId = '11111111-2222-4333-8444-555555555555';

export interface ColdStartStage {
  readonly eventFile: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** An address where no server listens. It is never called. */
const nowhere = 'https://127.0.0.1:9';

/** Writes the required files into `dir`. */
export function setStage(dir: string): ColdStartStage {
  mkdirSync(dir, { recursive: true });
  const eventFile = path.join(dir, 'event.json');
  const kubeconfig = path.join(dir, 'kubeconfig.json');
  writeFileSync(eventFile, JSON.stringify(anEvent()));
  writeFileSync(kubeconfig, JSON.stringify(aKubeconfig()), { mode: 0o600 });
  return {
    eventFile,
    environment: {
      CAPI_KUBECONFIG: kubeconfig,
      CAPI_MANAGEMENT_CLUSTER: 'this-cluster',
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'bench',
      AWS_SECRET_ACCESS_KEY: 'bench',
    },
  };
}

/** One message whose key names an object of another management cluster. */
export function anEvent(reconciler = 'cluster'): SQSEvent {
  const body = {
    v: 1,
    reconciler,
    key: {
      managementCluster: 'another-cluster',
      group: 'cluster.x-k8s.io',
      kind: 'Cluster',
      namespace: 'default',
      name: 'bench',
    },
    cause: 'list',
    attempt: 0,
    trace: 'bench',
  };
  const record = {
    messageId,
    receiptHandle: 'bench',
    body: JSON.stringify(body),
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: '1700000000000',
      SenderId: '000000000000',
      ApproximateFirstReceiveTimestamp: '1700000000000',
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:bench',
    awsRegion: 'us-east-1',
  };
  return { Records: [record] };
}

function aKubeconfig() {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'bench', cluster: { server: nowhere } }],
    users: [{ name: 'bench', user: { token: 'bench' } }],
    contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench' } }],
    'current-context': 'bench',
  };
}
