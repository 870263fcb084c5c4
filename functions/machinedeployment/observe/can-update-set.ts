// Answers what plans of updates in place ask: reads templates and calls the hook CanUpdateMachineSet. Its responses are
// remembered by the process.
import type { AnswersTo, Pass } from '@capi-serverless/reconciler';
import type { External } from '../../../shared/external/external.ts';
import type { ContractReads } from '../../../shared/external/read-in-contract.ts';
import { readReferenced } from '../../../shared/external/read-referenced.ts';
import { hooksOf } from '../../../shared/runtime-hooks/calls.ts';
import type { HooksPort } from '../../../shared/runtime-hooks/port.ts';
import { canUpdateMachineSet } from '../../../shared/runtime-hooks/rules/catalog.ts';
import type { InPlaceQuestion } from '../plan/in-place/can-update-set.ts';

/** Answers for the MachineSets of one pass. Each template is read once. */
export function inPlaceAnswers(port: ContractReads & HooksPort, pass: Pass): AnswersTo<InPlaceQuestion> {
  const templates = new Map<string, Promise<External>>();
  const calls = hooksOf(port, pass);
  return {
    template: ({ ref, namespace }) => {
      const key = JSON.stringify([ref.apiGroup, ref.kind, ref.name, namespace]);
      const known = templates.get(key) ?? readReferenced({ ref, namespace }, port);
      templates.set(key, known);
      return known;
    },
    handlers: set => calls.registered(canUpdateMachineSet, set),
    canUpdateMachineSet: ({ set, handler, request, key }) =>
      calls.callNamed(canUpdateMachineSet, handler, { object: set, request, cache: { key } }),
  };
}
