import { describe, expect, it } from 'vitest';
import { nextSteps } from '../../../../local/view/next-steps.ts';
import { aCluster } from '../../../support/builders.ts';

const kubeconfigPath = '/tmp/kubeconfig';

describe('what to try next', () => {
  it('is the first Cluster by name, watched, paused, broken and deleted', () => {
    const clusters = [aCluster().named('z').build(), aCluster().named('a').withInfrastructureRef().build()];
    expect(nextSteps({ kubeconfigPath, clusters })).toEqual([
      'What to try next',
      '  export KUBECONFIG=/tmp/kubeconfig',
      '  kubectl get clusters -A',
      '  npx capi-serverless why ns/a --kubeconfig /tmp/kubeconfig',
      '  kubectl annotate cluster -n ns a cluster.x-k8s.io/paused=   # pause it; paused- resumes it',
      "  kubectl annotate simulatedcluster -n ns c1-infra simulated.capi-serverless.dev/fail='the network is down'   # makes it fail; fail- repairs it",
      '  kubectl delete cluster -n ns a',
    ]);
  });

  it('breaks nothing that does not break on request', () => {
    const reference = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AWSCluster', name: 'x' };
    const clusters = [aCluster().withInfrastructureRef(reference).build()];
    expect(nextSteps({ kubeconfigPath, clusters }).join('\n')).not.toContain('fail');
  });

  it('suggests a list of Clusters when there are none, with a path that a shell reads as one word', () => {
    expect(nextSteps({ kubeconfigPath: "/my dir/it's", clusters: [] })).toEqual([
      'What to try next',
      "  export KUBECONFIG='/my dir/it'\\''s'",
      '  kubectl get clusters -A',
    ]);
  });
});
