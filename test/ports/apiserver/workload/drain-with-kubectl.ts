// kubectl against a workload cluster: Nodes, cordon and drain.
import { expect, it } from 'vitest';
import { declareMissing } from '../../../support/describe-part.ts';
import { freshName } from '../../answers.ts';
import { type Api, created, done } from '../api-case.ts';
import { kubectlProblem, withKubectl } from '../kubectl.ts';
import { budgets, givenBudget, givenPod, readPod } from './pods.ts';

export function kubectlCases(ask: () => Api): void {
  const says = 'cordons, drains and uncordons a Node';
  const problem = kubectlProblem();
  if (problem !== undefined) {
    declareMissing(says, problem);
    return;
  }
  it(says, () =>
    withKubectl(ask().kubeconfigPath, async kubectl => {
      const name = freshName('node');
      const app = freshName();
      const status = {
        conditions: [{ type: 'Ready', status: 'True' }],
        nodeInfo: { kubeletVersion: 'v1.36.0' },
      };
      created(await ask().http.post('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name }, status }));
      const nodes = async (): Promise<readonly string[]> => {
        const { stdout } = await kubectl(['get', 'nodes', name, '--no-headers']);
        return stdout.trim().split(/ +/);
      };
      expect(await nodes()).toEqual([name, 'Ready', '<none>', expect.any(String), 'v1.36.0']);
      const free = await givenPod(ask(), { spec: { nodeName: name } });
      const guarded = await givenPod(ask(), { spec: { nodeName: name }, labels: { app } });
      const budget = await givenBudget(ask(), app, { status: { disruptionsAllowed: 0, currentHealthy: 1 } });
      const drain = (seconds: number) =>
        kubectl(['drain', name, '--force', '--grace-period=0', `--timeout=${seconds}s`]);
      expect(await drain(1)).toMatchObject({ exitCode: 1 });
      expect(await nodes()).toContain('Ready,SchedulingDisabled');
      expect((await readPod(ask(), guarded)).status).toBe(200);
      done(await ask().http.patch(`${budgets(ask(), budget)}/status`, { status: { disruptionsAllowed: 1 } }));
      const drained = await drain(300);
      expect(drained, drained.stderr).toMatchObject({ exitCode: 0 });
      expect(drained.stdout).toContain(`pod/${guarded.metadata.name} evicted`);
      expect(drained.stdout).toContain(`node/${name} drained`);
      expect([(await readPod(ask(), free)).status, (await readPod(ask(), guarded)).status]).toEqual([404, 404]);
      expect(await kubectl(['uncordon', name])).toMatchObject({ exitCode: 0 });
      expect(await kubectl(['taint', 'node', name, 'example.com/a=b:NoSchedule'])).toMatchObject({ exitCode: 0 });
      expect(done(await ask().http.get(`/api/v1/nodes/${name}`)).spec).toMatchObject({
        taints: expect.arrayContaining([{ key: 'example.com/a', value: 'b', effect: 'NoSchedule' }]),
      });
      expect(await nodes()).toContain('Ready');
    }),
  );
}
