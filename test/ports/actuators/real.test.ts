// The example actuator against a real kube-apiserver.
import { loadCredentials } from '../../../shared/kubernetes/credentials/load.ts';
import { createKubernetes } from '../../../shared/kubernetes/rest/client.ts';
import { describeReal } from '../../support/describe-real.ts';
import { startControlPlane } from '../../support/real-control-plane.ts';
import { actuatorsOn } from './suite.ts';

describeReal('the example actuator with kube-apiserver', () => {
  actuatorsOn('kube-apiserver', async () => {
    const plane = await startControlPlane({ controllers: false });
    const credentials = await loadCredentials({ kubeconfigPath: plane.kubeconfigPath('admin') });
    return {
      kubernetes: createKubernetes({ credentials, client: 'conformance' }),
      close: () => plane.stop(),
    };
  });
});
