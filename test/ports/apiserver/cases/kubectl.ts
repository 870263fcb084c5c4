// What a user does with kubectl in an ordinary hour.
import { expect } from 'vitest';
import { withKubectl } from '../kubectl.ts';
import { aWidget, type Case, done, expectRefusal, freshName, widgets } from '../world.ts';

export const kubectlCases: readonly Case[] = [
  {
    id: 'A110',
    says: 'kubectl applies, gets, labels, annotates, describes, waits for and deletes a widget',
    needs: 'kubectl',
    run(api) {
      return withKubectl(api.kubeconfigPath, async kubectl => {
        const name = freshName('kubectl');
        const run = async (line: string, input?: string): Promise<string> => {
          const answer = await kubectl([...line.split(' '), `--namespace=${api.namespace}`], input);
          expect(answer, `kubectl ${line}: ${answer.stderr}`).toMatchObject({ exitCode: 0 });
          return answer.stdout;
        };
        const manifest = (size: number) => JSON.stringify(aWidget({ metadata: { name }, spec: { size } }));
        expect(await run('apply -f -', manifest(3))).toMatch(/ created\n$/);
        expect(await run('apply -f -', manifest(3))).toMatch(/ unchanged\n$/);
        expect(await run('apply -f -', manifest(4))).toMatch(/ configured\n$/);
        const [head, row] = (await run(`get wdg ${name}`)).split('\n').map(line => line.trim().split(/ +/));
        expect([head, row]).toEqual([
          ['NAME', 'MODE', 'SIZE'],
          [name, 'Plain', '4'],
        ]);
        expect(await run('get conformance -o name')).toContain(`/${name}\n`);
        await run(`label widget ${name} color=red`);
        await run(`annotate widgets ${name} note=kept`);
        const { metadata } = done(await api.http.get(widgets(api, name)));
        expect(metadata).toMatchObject({ labels: { color: 'red' }, annotations: { note: 'kept' } });
        expect(await run(`describe widget ${name}`)).toMatch(/Labels: +color=red/);
        const waiting = run(`wait widget/${name} --for=jsonpath={.status.phase}=Ready --timeout=20s`);
        done(await api.http.patch(`${widgets(api, name)}/status`, { status: { phase: 'Ready' } }));
        expect(await waiting).toMatch(/ condition met\n$/);
        expect(await run(`delete widget ${name}`)).toContain(name);
        expectRefusal(await api.http.get(widgets(api, name)), 404);
      });
    },
  },
];
