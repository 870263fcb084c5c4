// The provider kinds of this project against a real kube-apiserver.

import { loadCredentials } from '../../../shared/kubernetes/credentials/load.ts';
import { describeReal } from '../../support/describe-real.ts';
import { installDefinitions } from '../../support/install-definitions.ts';
import { startControlPlane } from '../../support/real-control-plane.ts';
import { describeRotation } from '../../support/rotation.ts';
import { createTestClient } from '../../support/test-client.ts';
import { providerRotation, providersOn } from './suite.ts';

describeReal('provider kinds with kube-apiserver', () => {
  console.log(describeRotation('provider kinds', providerRotation));
  providersOn(
    'kube-apiserver',
    async () => {
      const plane = await startControlPlane({ controllers: false });
      const credentials = await loadCredentials({ kubeconfigPath: plane.kubeconfigPath('admin') });
      const kubernetes = createTestClient({ credentials, client: 'conformance' });
      return {
        kubernetes,
        async install(crds) {
          await installDefinitions(kubernetes, crds);
        },
        close: () => plane.stop(),
      };
    },
    providerRotation,
  );
});
