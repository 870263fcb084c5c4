// The watch-forwarder as in its image: only the bundled file, started by the image's command.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { defaultFeatureGates, ofGates } from '@capi-serverless/cluster-api/feature-gates';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { declarations } from '../../functions/declarations.ts';
import { bundleProgram, projectRoot } from '../../infra/bundles/bundle.ts';
import { forwarderFlags, forwarderProgram } from '../../infra/function-plans.ts';

const instructions = new Map(
  readFileSync(path.join(projectRoot, 'infra/containers/watch-forwarder.Dockerfile'), 'utf8')
    .split('\n')
    .filter(line => /^[A-Z]+ /.test(line))
    .map(line => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)] as const),
);
const command: readonly string[] = JSON.parse(instructions.get('ENTRYPOINT') ?? '[]');

let context: string;
let clean: string;

beforeAll(async () => {
  context = mkdtempSync(path.join(tmpdir(), 'capi-context-'));
  clean = mkdtempSync(path.join(tmpdir(), 'capi-app-'));
  await bundleProgram(forwarderProgram, context);
  const [source = '', target = ''] = (instructions.get('COPY') ?? '').split(' ');
  cpSync(path.join(context, source), path.join(clean, target, source));
});

afterAll(() => {
  rmSync(context, { recursive: true });
  rmSync(clean, { recursive: true });
});

describe('the command of the image', () => {
  it('has the flags with which its memory was measured', () => {
    expect(command).toEqual(['node', ...forwarderFlags, `${forwarderProgram.name}.mjs`]);
  });

  it('starts the program in a folder without other files, and reports the missing settings', () => {
    const [program = '', ...args] = command;
    const env = { PATH: path.dirname(process.execPath), CAPI_QUEUE_URLS: '' };
    const ended = spawnSync(program, args, { cwd: clean, env, encoding: 'utf8', timeout: 300_000 });
    expect(readdirSync(clean)).toEqual(['watch-forwarder.mjs']);
    const running = ofGates(declarations, defaultFeatureGates);
    const queues = ['expand', ...running.map(({ name }) => `work-${name}.fifo`)].join(', ');
    expect(ended.stderr).toBe(`watch-forwarder: Environment is not valid: CAPI_QUEUE_URLS has no ${queues}\n`);
    expect(ended.status).toBe(2);
  });
});
