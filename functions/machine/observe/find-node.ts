// Finds the Node of a Machine in its workload cluster: by the stored name, by probable names, then in the list of all
// Nodes.
import type { Answer, ApiFailure, Unstructured } from '@capi-serverless/apimachinery';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import { readNode, type WorkloadNode } from '../../../shared/api/node/reader.ts';
import { isConnectionDown, type WorkloadReads, wasSent } from '../../../shared/workload/api.ts';
import type { DeletionScope, NamedNode } from '../phases/deletion/deletion-scope.ts';
import { candidateNames, findListed, isNodeOf } from '../phases/node/find.ts';
import type { NodeLookup } from '../phases/node/lookup.ts';
import { toNodeRef } from '../phases/node/node-phase.ts';

export interface FoundNode {
  readonly lookup: NodeLookup;
  /** The Node with the stored name. */
  readonly namedNode: NamedNode;
}

type NodeReads = Pick<WorkloadReads, 'get' | 'nodes'>;

/** Without providerID there is no Node to find. A Machine in deletion may still name one. */
export async function findNode(machine: WholeMachine, providerID: string, workload: NodeReads): Promise<FoundNode> {
  const { name } = machine.status.nodeRef;
  const named = name === '' ? undefined : await getNode(name, workload);
  const namedNode = toNamedNode(named, providerID);
  if (providerID === '') {
    return { lookup: { state: 'noProviderID' }, namedNode };
  }
  if (named !== undefined && named.state !== 'missing' && !isOther(named, providerID)) {
    return { lookup: named, namedNode };
  }
  return { lookup: await search({ machine, providerID, workload }), namedNode };
}

/** Returns true if the Node was read and does not have this providerID. */
function isOther(lookup: NodeLookup, providerID: string): boolean {
  return lookup.state === 'found' && !isNodeOf(providerID, toListed(lookup.node));
}

/** A Node with another providerID belongs to another machine. It is neither drained nor deleted. */
function toNamedNode(named: NodeRead | undefined, providerID: string): NamedNode {
  if (named === undefined || named.state === 'missing') {
    return { state: 'gone' };
  }
  const other = named.state === 'found' ? named.node.spec.providerID : '';
  return other === '' || providerID === '' || other === providerID ? named : { state: 'gone' };
}

interface Searching {
  readonly machine: WholeMachine;
  readonly providerID: string;
  readonly workload: NodeReads;
}

async function search({ machine, providerID, workload }: Searching): Promise<NodeLookup> {
  const candidates = candidateNames({
    addresses: machine.status.addresses,
    infrastructureName: machine.spec.infrastructureRef.name,
    machineName: machine.metadata.name,
    triedName: machine.status.nodeRef.name,
  });
  for (const name of candidates) {
    const candidate = await getNode(name, workload);
    if (candidate.state !== 'missing' && !isOther(candidate, providerID)) {
      return candidate;
    }
  }
  const listed = await workload.nodes();
  if (!listed.ok) {
    return toLookup(listed.failure);
  }
  const found = findListed(providerID, listed.value);
  switch (found.state) {
    case 'missing':
      return found;
    case 'ambiguous':
      return { state: 'failed', error: found.error };
    case 'found':
      return confirmed(await getNode(found.name, workload), providerID);
  }
}

/** The list may be some seconds older than the Node that is read now. */
function confirmed(node: NodeLookup, providerID: string): NodeLookup {
  return isOther(node, providerID) ? { state: 'missing' } : node;
}

/** A Node that was read, or the reason why it was not. */
type NodeRead = Exclude<NodeLookup, { readonly state: 'noProviderID' }>;

async function getNode(name: string, workload: NodeReads): Promise<NodeRead> {
  const answer: Answer<Unstructured> = await workload.get(toNodeRef(name));
  if (answer.ok) {
    return { state: 'found', node: readNode(answer.value) };
  }
  return answer.missing ? { state: 'missing' } : toLookup(answer.failure);
}

function toLookup(failure: ApiFailure): NodeRead {
  const { reason, message: error } = failure;
  if (reason === 'Aborted') {
    return { state: 'aborted', error };
  }
  const sent = wasSent(failure) ? {} : ({ isUnsent: true } as const);
  return isConnectionDown(failure) ? { state: 'notConnected', ...sent } : { state: 'failed', error, ...sent };
}

function toListed({ metadata, spec }: WorkloadNode) {
  return { name: metadata.name, providerID: spec.providerID };
}

/** A Machine that names no Node gets the name of the Node that was found. */
export function nodeToRemove(
  { status }: WholeMachine,
  { lookup, namedNode }: FoundNode,
): Pick<DeletionScope, 'nodeName' | 'namedNode'> {
  const { name } = status.nodeRef;
  if (name !== '') {
    return { nodeName: name, namedNode };
  }
  return lookup.state === 'found'
    ? { nodeName: lookup.node.metadata.name, namedNode: { state: 'found', node: lookup.node } }
    : { nodeName: '', namedNode: { state: 'gone' } };
}
