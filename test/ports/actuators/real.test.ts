// The example actuator against a real kube-apiserver.
import { loadCredentials } from '../../../shared/kubernetes/credentials/load.ts';
import { describeReal } from '../../support/describe-real.ts';
import { startControlPlane } from '../../support/real-control-plane.ts';
import { createTestClient } from '../../support/test-client.ts';
import { actuatorsOn } from './suite.ts';

describeReal('the example actuator with kube-apiserver', () => {
  actuatorsOn('kube-apiserver', async () => {
    const plane = await startControlPlane({ controllers: false });
    const credentials = await loadCredentials({ kubeconfigPath: plane.kubeconfigPath('admin') });
    return {
      kubernetes: createTestClient({ credentials, client: 'conformance' }),
      close: () => plane.stop(),
    };
  });
});
