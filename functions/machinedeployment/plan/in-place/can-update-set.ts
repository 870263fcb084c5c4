// Determines whether an old MachineSet can be updated in place: reads the templates of both MachineSets, then calls the hook
// CanUpdateMachineSet.
import {
  all,
  type Checked,
  crdNameOf,
  type Intent,
  invalid,
  prefixed,
  quote,
  toDisplayName,
  valid,
} from '@capi-serverless/apimachinery';
import { type AskingPlan, ask, type Question, together } from '@capi-serverless/reconciler';
import { type ContractReference, isDefined } from '../../../../shared/api/cluster/reader.ts';
import { readMachineTemplate } from '../../../../shared/api/machine/template-owner.ts';
import type { External } from '../../../../shared/external/external.ts';
import type { CanUpdateMachineSetRequest } from '../../../../shared/runtime-hooks/rules/requests.ts';
import type { CanUpdateMachineSetResponse } from '../../../../shared/runtime-hooks/rules/response-schemas.ts';
import type { InPlaceAnswer } from '../../seen.ts';
import { decideInPlace } from './can-update.ts';
import { type SentObject, type SetObjects, toMemoryKey, toRequest } from './set-objects.ts';

interface TemplateOfSet {
  readonly ref: ContractReference;
  readonly namespace: string;
}

type TemplateQuestion = Question<'template', TemplateOfSet, External>;

interface NamedSet {
  readonly namespace: string;
  readonly name: string;
}

/** The full names of the handlers of CanUpdateMachineSet for this MachineSet. */
type HandlersQuestion = Question<'handlers', NamedSet, Checked<readonly string[]>>;

interface CanUpdateCall {
  /** The old MachineSet. */
  readonly set: NamedSet;
  readonly handler: string;
  readonly request: CanUpdateMachineSetRequest;
  /** Requests with the same key may get the same answer from the cache. */
  readonly key: string;
}

type CallQuestion = Question<'canUpdateMachineSet', CanUpdateCall, Checked<CanUpdateMachineSetResponse>>;

export type InPlaceQuestion = TemplateQuestion | HandlersQuestion | CallQuestion;

export interface SetPair {
  /** The old MachineSet, as this pass applies it. */
  readonly current: Intent;
  /** The MachineSet that would get its Machines. It need not exist yet. */
  readonly desired: Intent;
}

export function* canUpdateSet({ current, desired }: SetPair): AskingPlan<InPlaceQuestion, InPlaceAnswer> {
  const [from, to] = yield* together([readTemplates(current), readTemplates(desired)]);
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
  return yield* callHook({
    current: { set: current, infrastructure: oldInfrastructure, bootstrap: oldBootstrap },
    desired: { set: desired, infrastructure: newInfrastructure, bootstrap: newBootstrap },
  });
}

interface TemplatesRead {
  readonly infrastructure: Checked<SentObject>;
  readonly bootstrap: Checked<SentObject | undefined>;
}

function* readTemplates({ metadata, spec }: Intent): AskingPlan<TemplateQuestion, TemplatesRead> {
  const { name, namespace = '' } = metadata;
  const { infrastructureRef, bootstrap } = readMachineTemplate(spec);
  const [infrastructure, config] = yield* together([
    ask<TemplateQuestion>('template', { ref: infrastructureRef, namespace }),
    readIfDefined({ ref: bootstrap.configRef, namespace }),
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

function* readIfDefined(template: TemplateOfSet): AskingPlan<TemplateQuestion, External | undefined> {
  return isDefined(template.ref) ? yield* ask<TemplateQuestion>('template', template) : undefined;
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

interface InPlaceChange {
  readonly current: SetObjects;
  readonly desired: SetObjects;
}

function* callHook(change: InPlaceChange): AskingPlan<InPlaceQuestion, InPlaceAnswer> {
  const { name, namespace = '' } = change.current.set.metadata;
  const set = { name, namespace };
  const registered = yield* ask<HandlersQuestion>('handlers', set);
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
  const response = yield* ask<CallQuestion>('canUpdateMachineSet', { set, handler, request, key: toMemoryKey(change) });
  return response.ok
    ? decideInPlace({ request, response: response.value, handler })
    : { state: 'failed', problem: response.error };
}
