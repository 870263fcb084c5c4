// Calls the hook CanUpdateMachineSet for an old MachineSet. Answers are remembered by the process.
import {
  all,
  type Checked,
  crdNameOf,
  type Intent,
  invalid,
  prefixed,
  quote,
  type Reads,
  toDisplayName,
  valid,
} from '@capi-serverless/apimachinery';
import type { Pass } from '@capi-serverless/reconciler';
import { type ContractReference, isDefined } from '../../../shared/api/cluster/reader.ts';
import { readMachineTemplate } from '../../../shared/api/machine/template-owner.ts';
import type { External } from '../../../shared/external/external.ts';
import { readReferenced } from '../../../shared/external/read-referenced.ts';
import { type HookCalls, hooksOf } from '../../../shared/runtime-hooks/calls.ts';
import type { HooksPort } from '../../../shared/runtime-hooks/port.ts';
import { canUpdateMachineSet } from '../../../shared/runtime-hooks/rules/catalog.ts';
import { decideInPlace } from '../plan/in-place/can-update.ts';
import { type SentObject, type SetObjects, toMemoryKey, toRequest } from '../plan/in-place/set-objects.ts';
import type { InPlaceAnswer } from '../seen.ts';

interface InPlaceQuestion {
  /** The old MachineSet, as this pass applies it. */
  readonly current: Intent;
  /** The MachineSet that would get its Machines. It need not exist yet. */
  readonly desired: Intent;
}

/** Asks about the MachineSets of one pass. Each template is read once. */
interface InPlaceQuestions {
  /** Never rejects. */
  ask(question: InPlaceQuestion): Promise<InPlaceAnswer>;
}

export function inPlaceQuestions(port: Reads & HooksPort, pass: Pass): InPlaceQuestions {
  const templates = new Map<string, Promise<External>>();
  const read = (ref: ContractReference, namespace: string): Promise<External> => {
    const key = JSON.stringify([ref.apiGroup, ref.kind, ref.name, namespace]);
    const known = templates.get(key) ?? readReferenced({ ref, namespace }, port);
    templates.set(key, known);
    return known;
  };
  const calls = hooksOf(port, pass);
  return { ask: question => askOnce(question, { read, calls }) };
}

interface Asking {
  readonly read: (ref: ContractReference, namespace: string) => Promise<External>;
  readonly calls: Pick<HookCalls, 'registered' | 'callNamed'>;
}

async function askOnce({ current, desired }: InPlaceQuestion, { read, calls }: Asking): Promise<InPlaceAnswer> {
  const [from, to] = await Promise.all([readTemplates(current, read), readTemplates(desired, read)]);
  const templates = all({
    oldInfrastructure: from.infrastructure,
    newInfrastructure: to.infrastructure,
    oldBootstrap: from.bootstrap,
    newBootstrap: to.bootstrap,
  });
  if (!templates.ok) {
    return { state: 'failed', problem: templates.error };
  }
  const { oldInfrastructure, newInfrastructure, oldBootstrap, newBootstrap } = templates.value;
  if ((oldBootstrap === undefined) !== (newBootstrap === undefined)) {
    return { state: 'no', reasons: ['only one of the MachineSets has a bootstrap template'] };
  }
  return callHook(
    {
      current: { set: current, infrastructure: oldInfrastructure, bootstrap: oldBootstrap },
      desired: { set: desired, infrastructure: newInfrastructure, bootstrap: newBootstrap },
    },
    calls,
  );
}

interface TemplatesRead {
  readonly infrastructure: Checked<SentObject>;
  readonly bootstrap: Checked<SentObject | undefined>;
}

async function readTemplates({ metadata, spec }: Intent, read: Asking['read']): Promise<TemplatesRead> {
  const { name, namespace = '' } = metadata;
  const { infrastructureRef, bootstrap } = readMachineTemplate(spec);
  const [infrastructure, config] = await Promise.all([
    read(infrastructureRef, namespace),
    isDefined(bootstrap.configRef) ? read(bootstrap.configRef, namespace) : undefined,
  ]);
  const problem = (kind: string) => `failed to get ${kind} from MachineSet ${name}`;
  return {
    infrastructure: prefixed(
      toTemplate(infrastructure, namespace),
      problem(infrastructureRef.kind || 'InfrastructureMachineTemplate'),
    ),
    bootstrap:
      config === undefined
        ? valid(undefined)
        : prefixed(toTemplate(config, namespace), problem(bootstrap.configRef.kind || 'BootstrapConfigTemplate')),
  };
}

function toTemplate(read: External, namespace: string): Checked<SentObject> {
  switch (read.state) {
    case 'found':
      return valid(read.object);
    case 'undefined':
      return invalid('cannot get object - object reference not set');
    case 'unreadable':
      return invalid(read.error);
    case 'missing': {
      const { apiGroup: group, kind, name } = read.ref;
      const object = `${kind} ${toDisplayName({ namespace, name })}`;
      return invalid(`failed to retrieve ${object}: ${crdNameOf({ group, kind })} ${quote(name)} not found`);
    }
  }
}

async function callHook(
  change: { readonly current: SetObjects; readonly desired: SetObjects },
  calls: Asking['calls'],
): Promise<InPlaceAnswer> {
  const { name, namespace = '' } = change.current.set.metadata;
  const object = { name, namespace };
  const registered = await calls.registered(canUpdateMachineSet, object);
  if (!registered.ok) {
    return { state: 'failed', problem: registered.error };
  }
  const [handler, ...others] = registered.value;
  if (handler === undefined) {
    return { state: 'no', reasons: ['no extension has the hook CanUpdateMachineSet'] };
  }
  if (others.length > 0) {
    const names = registered.value.join(',');
    const problem = `found multiple CanUpdateMachineSet hooks (${names}): only one hook is supported`;
    return { state: 'failed', problem };
  }
  const request = toRequest(change);
  const cache = { key: toMemoryKey(change) };
  const response = await calls.callNamed(canUpdateMachineSet, handler, { object, request, cache });
  return response.ok
    ? decideInPlace({ request, response: response.value, handler })
    : { state: 'failed', problem: response.error };
}
