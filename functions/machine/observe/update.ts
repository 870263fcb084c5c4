// Calls the hook UpdateMachine, unless a stored answer says to wait.
import type { JsonObject, Reads, Unstructured } from '@capi-serverless/apimachinery';
import type { Pass } from '@capi-serverless/reconciler';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import type { InScope, Scoped } from '../../../shared/external/external.ts';
import { type HookCalls, hooksOf } from '../../../shared/runtime-hooks/calls.ts';
import type { HooksPort } from '../../../shared/runtime-hooks/port.ts';
import { type Blocks, readBlocks, recall, remember } from '../../../shared/runtime-hooks/rules/blocks.ts';
import { updateMachine } from '../../../shared/runtime-hooks/rules/catalog.ts';
import type { UpdateAnswer } from '../phases/update/in-place-update.ts';

interface Updating {
  readonly machine: WholeMachine;
  readonly bootstrap: Scoped;
  readonly infrastructure: InScope;
}

/** Cluster API supports one extension for this hook. Never throws. */
export async function callUpdateMachine(updating: Updating, ask: Reads & HooksPort, pass: Pass): Promise<UpdateAnswer> {
  const { metadata } = updating.machine;
  const calls = hooksOf(ask, pass);
  const registered = await calls.registered(updateMachine, metadata);
  if (!registered.ok) {
    return { state: 'failed', error: registered.error };
  }
  const names = registered.value;
  if (names.length !== 1) {
    const error =
      names.length === 0
        ? 'no extensions registered for UpdateMachine hook'
        : `found multiple UpdateMachine hooks (${names.join(',')}): only one hook is supported`;
    return { state: 'failed', error };
  }
  const blocks = readBlocks(metadata.annotations);
  const remembered = recall(blocks, updateMachine, pass.now);
  return remembered === undefined
    ? callNow(updating, { calls, blocks, pass })
    : { state: 'retry', waitMs: remembered.remainingMs, message: remembered.response.message, blocks };
}

interface Calling {
  readonly calls: HookCalls;
  readonly blocks: Blocks;
  readonly pass: Pass;
}

async function callNow(updating: Updating, { calls, blocks, pass }: Calling): Promise<UpdateAnswer> {
  const { metadata } = updating.machine;
  const answer = await calls.callAll(updateMachine, { object: metadata, request: { desired: toDesired(updating) } });
  if (!answer.ok) {
    return { state: 'failed', error: answer.error };
  }
  const { retryAfterSeconds } = answer.value;
  if (retryAfterSeconds <= 0) {
    return { state: 'done' };
  }
  const message = answer.value.message.slice(0, longestMessage);
  const response = { ...answer.value, message };
  return {
    state: 'retry',
    waitMs: retryAfterSeconds * 1000,
    message,
    blocks: remember(blocks, updateMachine, { response, now: pass.now }),
  };
}

/** The answer is stored in an annotation, whose size is limited. */
const longestMessage = 2048;

function toDesired({ machine, infrastructure, bootstrap }: Updating) {
  return {
    machine: toPart(machine.object),
    infrastructureMachine: toPart(infrastructure.object),
    ...(bootstrap.state === 'inScope' ? { bootstrapConfig: toPart(bootstrap.object) } : {}),
  };
}

/** Extensions receive neither status nor owner references. */
function toPart({ apiVersion, kind, metadata, spec }: Unstructured): JsonObject {
  const { name, namespace, labels, annotations } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, labels, annotations }, spec };
}
