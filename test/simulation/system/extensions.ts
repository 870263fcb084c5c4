// The extension servers of one simulation. That of the ClusterClass does what its address says, so that a user takes it
// down, and up again, by the address in its ExtensionConfig; others answer as the workload has them.
import { type FakeExtensions, fakeExtensions } from '../../support/fake-hooks.ts';

export const up = 'https://up.example';
/** Nobody listens there. */
export const down = 'https://down.example';

const requestHook = { apiVersion: 'hooks.runtime.cluster.x-k8s.io/v1alpha1', hook: 'DiscoverVariables' };
const handlers = [{ name: 'variables', requestHook }];
const variables = [{ name: 'discovered', required: false, schema: { openAPIV3Schema: { type: 'string' } } }];

export function createExtensions(): FakeExtensions {
  const extensions = fakeExtensions();
  extensions.answer(up, 'discovery', { body: { status: 'Success', handlers } });
  extensions.answer(up, 'discovervariables/variables', { body: { status: 'Success', variables } });
  return extensions;
}
