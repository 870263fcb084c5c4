// Reads the kubelet versions of Nodes of a workload cluster: one request per Node, a few in parallel.

import { type Checked, invalid, valid } from '@capi-serverless/apimachinery';
import { toError } from '@capi-serverless/reconciler';
import * as z from 'zod/mini';
import { section, textOrEmpty } from '../../api/fields.ts';
import type { ProbeTarget, WorkloadNodes } from '../../workload/port.ts';
import { newLargeAnswers } from './answer-body.ts';
import type { ConnectionLimits } from './connection.ts';
import { keepFields, toKeptFields } from './json-bytes.ts';
import { parseBounded } from './requester.ts';
import { type ConnectWorkload, createConnectWorkload, type WorkloadAccess } from './workload-connection.ts';

/** The timeout for all Nodes together. */
const nodesTimeoutMs = 10_000;

const limits: ConnectionLimits = {
  connectTimeoutMs: nodesTimeoutMs,
  requestTimeoutMs: nodesTimeoutMs,
  // A Node can be large, because it lists its images.
  maxAnswerBytes: 4 * 1024 * 1024,
  maxSockets: 8,
  largeAnswers: newLargeAnswers(),
};

/** Only this field is parsed, because the server may belong to a tenant. */
const keptFields = toKeptFields(['status.nodeInfo.kubeletVersion']);

const node = z.object({ status: section({ nodeInfo: section({ kubeletVersion: textOrEmpty }) }) });

interface WorkloadNodesOptions extends WorkloadAccess {
  readonly timeoutMs?: number;
}

export function createWorkloadNodes({ timeoutMs = nodesTimeoutMs, ...access }: WorkloadNodesOptions): WorkloadNodes {
  const connect = createConnectWorkload(access, { limits, use: 'often' });
  return {
    kubeletVersions: async (target, nodes, signal) => {
      const timeout = AbortSignal.timeout(timeoutMs);
      const read = await readNodes({ target, nodes }, connect, AbortSignal.any([signal, timeout]));
      const late = invalid(`no answer within ${timeoutMs / 1000} s`);
      return new Map(read.map(([name, version]) => [name, !version.ok && timeout.aborted ? late : version]));
    },
  };
}

interface NodesRequest {
  readonly target: ProbeTarget;
  readonly nodes: readonly string[];
}

async function readNodes(
  { target, nodes }: NodesRequest,
  connect: ConnectWorkload,
  signal: AbortSignal,
): Promise<readonly (readonly [string, Checked<string>])[]> {
  try {
    const connection = await connect(target);
    const versions = await Promise.all(
      nodes.map(async name => {
        const body = await connection.get(`/api/v1/nodes/${encodeURIComponent(name)}`, signal);
        return [name, body.ok ? toVersion(body.value) : body] as const;
      }),
    );
    connection.close();
    return versions;
  } catch (thrown) {
    const failure = invalid(toError(thrown).message);
    return nodes.map(name => [name, failure]);
  }
}

function toVersion(body: Buffer): Checked<string> {
  try {
    return valid(node.parse(parseBounded(keepFields(body, keptFields)).json).status.nodeInfo.kubeletVersion);
  } catch {
    return invalid('the answer is not a Node in JSON');
  }
}
