// Common kubectl commands.
import { expect } from 'vitest';
import { freshName } from '../../answers.ts';
import { aWidget, type Case, done, expectRefusal, widgets } from '../api-case.ts';
import { owners } from '../applied.ts';
import { createRun, withKubectl } from '../kubectl.ts';

export const kubectlCases: readonly Case[] = [
  {
    id: 'A110',
    says: 'kubectl applies, gets, labels, annotates, describes, waits for and deletes a widget',
    needs: 'kubectl',
    run(api) {
      return withKubectl(api.kubeconfigPath, async kubectl => {
        const name = freshName('kubectl');
        const run = createRun(kubectl, api);
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
  {
    id: 'A111',
    says: 'kubectl switches from client-side to server-side apply, prints conflicts and managed fields',
    needs: 'kubectl',
    run(api) {
      return withKubectl(api.kubeconfigPath, async kubectl => {
        const name = freshName('kubectl');
        const call = (line: string, input?: string) =>
          kubectl([...line.split(' '), `--namespace=${api.namespace}`], input);
        const run = createRun(kubectl, api);
        const manifest = (size: number) => JSON.stringify(aWidget({ metadata: { name }, spec: { size } }));
        await run('apply -f -', manifest(3));
        expect(await run('apply --server-side -f -', manifest(4))).toMatch(/ serverside-applied\n$/);
        const applied = done(await api.http.get(widgets(api, name)));
        expect(applied.spec).toMatchObject({ size: 4 });
        expect(Object.keys(owners(applied))).toContain('kubectl/Apply');
        const refused = await call('apply --server-side --field-manager=other -f -', manifest(5));
        expect(refused.exitCode).toBe(1);
        expect(refused.stderr).toContain('conflict with "kubectl": .spec.size');
        await run('apply --server-side --field-manager=other --force-conflicts -f -', manifest(5));
        const shown = await run(`get widget ${name} -o yaml --show-managed-fields`);
        expect(shown).toMatch(/manager: other\n +operation: Apply\n/);
        expect(await run('apply --server-side --dry-run=server --field-manager=other -f -', manifest(6))).toContain(
          '(server dry run)',
        );
        expect(done(await api.http.get(widgets(api, name))).spec).toMatchObject({ size: 5 });
      });
    },
  },
];
