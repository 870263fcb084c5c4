// The commands of the runbook that pause and resume the functions of a deployment, run by a shell against a stand-in of
// the AWS CLI. It has the stacks of deployments with similar names.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { makeBundles, synthesise } from '../support/synthesised.ts';

const name = 'capi-prod';
/** Names that contain the name, are contained in it, or become equal with the name of a function. */
const similar = ['capi-prod-2', 'capi-prod-cluster', 'capi-prod-timer', 'capi-pro', 'my-capi-prod', 'capi-prodx'];

const runbook = readFileSync(path.join(projectRoot, 'docs/runbook.md'), 'utf8');
const [, section = ''] = /\n## Pause everything\n(.*?)\n## /s.exec(runbook) ?? [];
const [, pause = ''] = /```sh\n(.*?)```/s.exec(section) ?? [];

interface Stack {
  readonly [logicalId: string]: { readonly type: string; readonly physicalId: string };
}

/**
 * The two commands that the runbook uses. The names of stacks are matched exactly, as CloudFormation does. Output in
 * text is one line per page with tabs. Any other command fails.
 */
const standIn = `#!${process.execPath}
const { appendFileSync, readFileSync } = require('node:fs');
const args = process.argv.slice(2);
const stacks = JSON.parse(readFileSync(__dirname + '/stacks.json', 'utf8'));
const resources = Object.values(stacks).flatMap(stack => Object.values(stack));
const option = name => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
const fail = text => { console.error(text); process.exit(254); };
switch (args.slice(0, 2).join(' ')) {
  case 'cloudformation list-stack-resources': {
    const stack = stacks[option('--stack-name')];
    const [, type] = /^StackResourceSummaries\\[\\?ResourceType=='([\\w:]+)'\\]\\.PhysicalResourceId$/.exec(option('--query')) ?? [];
    if (stack === undefined || type === undefined || option('--output') !== 'text') fail('ValidationError');
    const found = Object.values(stack).filter(one => one.type === type).map(one => one.physicalId);
    for (let from = 0; from < found.length; from += 3) console.log(found.slice(from, from + 3).join('\\t'));
    break;
  }
  case 'lambda update-event-source-mapping': {
    const uuid = option('--uuid');
    const known = resources.some(one => one.type === 'AWS::Lambda::EventSourceMapping' && one.physicalId === uuid);
    const change = args.filter(arg => arg === '--enabled' || arg === '--no-enabled');
    if (!known || args.length !== 5 || change.length !== 1) fail('ResourceNotFoundException');
    appendFileSync(__dirname + '/changes', uuid + ' ' + change[0] + '\\n');
    break;
  }
  default:
    fail('Unknown command ' + args.join(' '));
}
`;

const made = makeBundles();
let folder: string;
let stacks: Readonly<Record<string, Stack>>;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'capi-pause-'));
  stacks = Object.fromEntries(
    [name, ...similar].map((deployment, at) => {
      const { resources } = synthesise({ name: deployment, sources: { windowed: true } }, made);
      const entries = Object.entries(resources).map(([id, { Type: type }], index) => {
        const uuid = `00000000-0000-4000-8000-${String(at * 1000 + index).padStart(12, '0')}`;
        return [id, { type, physicalId: type.endsWith('Mapping') ? uuid : `${deployment}-${id}` }];
      });
      return [deployment, Object.fromEntries(entries)];
    }),
  );
  writeFileSync(path.join(folder, 'stacks.json'), JSON.stringify(stacks));
  writeFileSync(path.join(folder, 'aws'), standIn);
  chmodSync(path.join(folder, 'aws'), 0o755);
});

afterAll(() => {
  made.remove();
  rmSync(folder, { recursive: true });
});

/** Runs the commands as printed. Returns what they changed, sorted. */
function run(commands: string, of: string) {
  writeFileSync(path.join(folder, 'changes'), '');
  const env = { PATH: `${folder}:${process.env['PATH']}`, NAME: of, AWS_REGION: 'eu-central-1' };
  const { status, stderr } = spawnSync('sh', ['-c', commands], { env, encoding: 'utf8' });
  const changes = readFileSync(path.join(folder, 'changes'), 'utf8').split('\n').filter(Boolean).toSorted();
  return { status, stderr, changes };
}

function mappingsOf(deployment: string): readonly string[] {
  return Object.values(stacks[deployment] ?? {})
    .filter(({ type }) => type === 'AWS::Lambda::EventSourceMapping')
    .map(({ physicalId }) => physicalId)
    .toSorted();
}

describe('the commands of the runbook', () => {
  it.each([name, ...similar])('pause each function behind a queue of %s, and no function of a similar name', of => {
    expect(mappingsOf(of).length).toBeGreaterThan(3);
    expect(run(pause, of)).toEqual({
      status: 0,
      stderr: '',
      changes: mappingsOf(of).map(uuid => `${uuid} --no-enabled`),
    });
  });

  it('resume the same functions with --enabled', () => {
    expect(section).toContain('--enabled resumes');
    const { changes } = run(pause.replaceAll('--no-enabled', '--enabled'), name);
    expect(changes).toEqual(mappingsOf(name).map(uuid => `${uuid} --enabled`));
  });

  it.each(['capi-pr', 'capi', 'capi-prod*', ''])('pause nothing if no stack has the name "%s"', of => {
    expect(run(pause, of).changes).toEqual([]);
  });
});
