// The extension servers of one simulation. The address of the ClusterClass's server determines whether it is available.
// A user can change the address in its ExtensionConfig. The answers of other servers depend on the workload.
import { type FakeExtensions, type FakeHandler, fakeExtensions } from '../../support/fake-hooks.ts';

export const up = 'https://up.example';
/** A URL without a server. */
export const down = 'https://down.example';

const requestHook = { apiVersion: 'hooks.runtime.cluster.x-k8s.io/v1alpha1', hook: 'DiscoverVariables' };
const handlers = [{ name: 'variables', requestHook }];
const variables = [{ name: 'discovered', required: false, schema: { openAPIV3Schema: { type: 'string' } } }];

/** URL, path and response. */
export type ExtensionAnswer = readonly [string, string, FakeHandler];

export interface SimulatedExtensions extends FakeExtensions {
  /** All calls, in order. */
  readonly answers: readonly ExtensionAnswer[];
}

/** `before` contains the calls of an earlier run. */
export function createExtensions(before: readonly ExtensionAnswer[] = []): SimulatedExtensions {
  const answers: ExtensionAnswer[] = [];
  const servers = fakeExtensions();
  const extensions: SimulatedExtensions = {
    ...servers,
    answers,
    answer(...answered) {
      answers.push(answered);
      servers.answer(...answered);
    },
  };
  extensions.answer(up, 'discovery', { body: { status: 'Success', handlers } });
  extensions.answer(up, 'discovervariables/variables', { body: { status: 'Success', variables } });
  for (const answered of before) {
    extensions.answer(...answered);
  }
  return extensions;
}
