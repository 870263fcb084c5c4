// Reads the Nodes of the selected Machines. An answer that is incomplete, or not from the API server of the workload
// cluster, never makes a Node look deleted.
import type { Answer, ApiFailure } from '@capi-serverless/apimachinery';
import { type NodeHealth, readNodeHealth } from '../../../shared/api/node/health-reader.ts';
import { isConnectionDown, type WorkloadReads } from '../../../shared/workload/api.ts';

/** The maximum number of Nodes that are read one by one, and of absent Nodes that are confirmed. */
const mostGets = 10;

const notConnected = 'connection to the workload cluster is down';

/** The Nodes by name. `undefined`: the Node does not exist. */
export type NodesRead =
  | { readonly ok: true; readonly nodes: ReadonlyMap<string, NodeHealth | undefined> }
  /** `isDown`: the workload cluster did not answer. */
  | { readonly ok: false; readonly isDown: boolean; readonly error: string };

/** `names` are the Nodes of the selected Machines. Without any, one small request shows whether the cluster answers. */
export async function readNodes(names: readonly string[], workload: WorkloadReads): Promise<NodesRead> {
  if (names.length === 0) {
    return probe(workload);
  }
  return names.length <= mostGets ? getNodes(names, workload) : listNodes(names, workload);
}

async function probe(workload: WorkloadReads): Promise<NodesRead> {
  const answer = await workload.get({ apiVersion: 'v1', kind: 'Namespace', name: 'default' });
  return !answer.ok && isConnectionDown(answer.failure) ? failed(answer.failure) : { ok: true, nodes: new Map() };
}

async function getNodes(names: readonly string[], workload: WorkloadReads): Promise<NodesRead> {
  const answers = await Promise.all(names.map(async name => ({ name, answer: await getNode(name, workload) })));
  const nodes = new Map<string, NodeHealth | undefined>();
  const failures: ApiFailure[] = [];
  for (const { name, answer } of answers) {
    if (answer.ok) {
      nodes.set(name, answer.value);
    } else if (isMissing(name, answer.failure)) {
      nodes.set(name, undefined);
    } else {
      failures.push(answer.failure);
    }
  }
  const failure = failures.find(isConnectionDown) ?? failures[0];
  return failure === undefined ? { ok: true, nodes } : failed(failure);
}

function getNode(name: string, workload: WorkloadReads): Promise<Answer<NodeHealth>> {
  return workload.get({ apiVersion: 'v1', kind: 'Node', name }, readNodeHealth);
}

/**
 * Only the API server, or that of upstream's in-memory backend, answers with these messages. A load balancer or another
 * server may answer 404 as well.
 */
function isMissing(name: string, { reason, message }: ApiFailure): boolean {
  return reason === 'NotFound' && [`nodes "${name}" not found`, `Node "/${name}" not found`].includes(message);
}

function failed(failure: ApiFailure): NodesRead {
  return isConnectionDown(failure)
    ? { ok: false, isDown: true, error: `error getting client: ${notConnected}` }
    : { ok: false, isDown: false, error: `error getting node: ${failure.message}` };
}

/** The absence of Nodes from the list is believed only if the server confirms it for the first of them. */
async function listNodes(names: readonly string[], workload: WorkloadReads): Promise<NodesRead> {
  const listed = await workload.list({ apiVersion: 'v1', kind: 'Node' }, readNodeHealth);
  if (!listed.ok) {
    return failed(listed.failure);
  }
  const byName = new Map(listed.value.map(node => [node.name, node]));
  const absent = names.filter(name => !byName.has(name));
  const confirmed = await getNodes(absent.slice(0, mostGets), workload);
  if (!confirmed.ok) {
    return confirmed;
  }
  const found = absent.find(name => confirmed.nodes.get(name) !== undefined);
  return found === undefined
    ? { ok: true, nodes: new Map(names.map(name => [name, byName.get(name)])) }
    : { ok: false, isDown: false, error: `error getting node: the list of Nodes lacks "${found}", which exists` };
}
