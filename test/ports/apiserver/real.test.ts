// The API server's conformance suite against a real kube-apiserver with its garbage collector and namespace controller.
import { describeReal } from '../../support/describe-real.ts';
import { startControlPlane } from '../../support/real-control-plane.ts';
import { type ApiServerSubject, apiServerConformance } from './suite.ts';

async function open(): Promise<ApiServerSubject> {
  const plane = await startControlPlane({ users: [{ name: 'guest' }] });
  return {
    url: plane.url,
    caPem: plane.caPem,
    token: plane.token('admin'),
    guestToken: plane.token('guest'),
    kubeconfigPath: plane.kubeconfigPath('admin'),
    close: () => plane.stop(),
  };
}

describeReal('the conformance suite', () => apiServerConformance('kube-apiserver', open), { needs: 'controllers' });
