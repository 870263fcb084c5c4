// The extension servers of one simulation. That of the ClusterClass does what its address says, so that a user takes it
// down, and up again, by the address in its ExtensionConfig; others answer as the workload has them.
import { type FakeExtensions, type FakeHandler, fakeExtensions } from '../../support/fake-hooks.ts';

export const up = 'https://up.example';
/** Nobody listens there. */
export const down = 'https://down.example';

const requestHook = { apiVersion: 'hooks.runtime.cluster.x-k8s.io/v1alpha1', hook: 'DiscoverVariables' };
const handlers = [{ name: 'variables', requestHook }];
const variables = [{ name: 'discovered', required: false, schema: { openAPIV3Schema: { type: 'string' } } }];

/** Address, path and answer. */
export type Answered = readonly [string, string, FakeHandler];

export interface SimulatedExtensions extends FakeExtensions {
  /** All that they were told, in order. */
  readonly answers: readonly Answered[];
}

/** `before`: what they were told in another run. */
export function createExtensions(before: readonly Answered[] = []): SimulatedExtensions {
  const answers: Answered[] = [];
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
