// Finds the Node of a Machine in its workload cluster: by the stored name, by probable names, then in the list of all
// Nodes.
import type { Answer, ApiFailure, Unstructured } from '@capi-serverless/apimachinery';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import { readNode, type WorkloadNode } from '../../../shared/api/node/reader.ts';
import { isConnectionDown, type WorkloadReads } from '../../../shared/workload/api.ts';
import type { NamedNode } from '../phases/deletion/deletion-facts.ts';
import { isDeleting } from '../phases/machine-gate.ts';
import { candidateNames, findListed, isNodeOf } from '../phases/node/find.ts';
import type { NodeLookup } from '../phases/node/lookup.ts';
import { toNodeRef } from '../phases/node/node-phase.ts';

export interface FoundNode {
  readonly lookup: NodeLookup;
  /** The Node with the stored name. */
  readonly namedNode: NamedNode;
}

/** Without providerID there is no Node to find. A Machine in deletion may still name one. */
export async function findNode(machine: WholeMachine, providerID: string, workload: WorkloadReads): Promise<FoundNode> {
  const { name } = machine.status.nodeRef;
  const named = name === '' ? undefined : await getNode(name, workload);
  const namedNode = toNamedNode(named, providerID);
  if (providerID === '') {
    return { lookup: { state: 'noProviderID' }, namedNode };
  }
  if (named?.state === 'found' && isNodeOf(providerID, toListed(named.node))) {
    return { lookup: named, namedNode };
  }
  if (named?.state === 'notConnected' || named?.state === 'failed') {
    return { lookup: named, namedNode };
  }
  // The Node of a Machine in deletion is drained and deleted by its name.
  if (isDeleting(machine) && name !== '') {
    return { lookup: { state: 'missing' }, namedNode };
  }
  return { lookup: await search({ machine, providerID, workload }), namedNode };
}

/** A Node with another providerID belongs to another machine. It is neither drained nor deleted. */
function toNamedNode(named: NodeLookup | undefined, providerID: string): NamedNode {
  if (named === undefined || named.state === 'noProviderID' || named.state === 'missing') {
    return { state: 'gone' };
  }
  const other = named.state === 'found' ? named.node.spec.providerID : '';
  return other === '' || providerID === '' || other === providerID ? named : { state: 'gone' };
}

interface Searching {
  readonly machine: WholeMachine;
  readonly providerID: string;
  readonly workload: WorkloadReads;
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
    const isOther = candidate.state === 'found' && !isNodeOf(providerID, toListed(candidate.node));
    if (candidate.state !== 'missing' && !isOther) {
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
      return getNode(found.name, workload);
  }
}

async function getNode(name: string, workload: WorkloadReads): Promise<NodeLookup> {
  const answer: Answer<Unstructured> = await workload.get(toNodeRef(name));
  if (answer.ok) {
    return { state: 'found', node: readNode(answer.value) };
  }
  return answer.missing ? { state: 'missing' } : toLookup(answer.failure);
}

function toLookup(failure: ApiFailure): NodeLookup {
  return isConnectionDown(failure) ? { state: 'notConnected' } : { state: 'failed', error: failure.message };
}

function toListed({ metadata, spec }: WorkloadNode) {
  return { name: metadata.name, providerID: spec.providerID };
}
