// The rooms and arrows of docs/architecture.md, held on the import graph.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readImportGraph, root, type SourceFile } from './import-graph.ts';

const graph = await readImportGraph();

const pure = [
  /^functions\/[^/]+\/(decide|report)\.ts$/,
  /^functions\/[^/]+\/(phases|conditions)\//,
  /^shared\/(admission|api|cel|contract|conditions|go-template|names|variables|topology)\//,
  /^shared\/runtime-hooks\/rules\//,
  /^shared\/kernel\/(types|merge-diff)\.ts$/,
];
const purePackages = [/^zod\/mini$/, /^yaml$/, /^@noble\/hashes\//, /^@marcbachmann\/cel-js$/, /^re2js$/];
const adapters = [
  /^shared\/(aws|kubernetes\/(rest|credentials)|workqueue\/(sqs|memory)|certificates\/x509|runtime-hooks\/client|telemetry|lambda)\//,
  /^functions\/[^/]+\/handler\.ts$/,
  /^functions\/watch-forwarder\/main\.ts$/,
  /^infra\//,
  // A program of its own, which a local run starts beside itself.
  /^examples\/extension\//,
];

/** What templates digest and decipher is the same each time. */
const isDigest = (target: string, file: string): boolean =>
  target === 'node:crypto' && file === 'shared/go-template/functions/digests.ts';

const isAny = (patterns: readonly RegExp[], text: string): boolean => patterns.some(pattern => pattern.test(text));

function violations(select: (file: SourceFile) => boolean, broken: (target: string, from: SourceFile) => boolean) {
  return graph
    .filter(select)
    .flatMap(from =>
      [...from.imports, ...from.packages]
        .filter(target => broken(target, from))
        .map(target => `${from.file} → ${target}`),
    );
}

const isOurs = (target: string): boolean => /^(functions|shared|infra)\//.test(target);
const functionOf = (file: string): string | undefined => /^functions\/([^/]+)\//.exec(file)?.[1];

describe('the arrows between rooms', () => {
  it('sees the sources', () => {
    expect(graph.length).toBeGreaterThan(20);
    expect(graph.some(({ file }) => isAny(pure, file))).toBe(true);
  });

  it('keeps pure rooms pure: they reach only each other and packages without I/O', () => {
    const broken = (target: string, { file }: SourceFile): boolean =>
      isOurs(target) ? !isAny(pure, target) : !isAny(purePackages, target) && !isDigest(target, file);
    expect(violations(({ file }) => isAny(pure, file), broken)).toEqual([]);
  });

  it('keeps shared below functions and infra', () => {
    expect(
      violations(
        ({ file }) => file.startsWith('shared/'),
        target => /^(functions|infra)\//.test(target),
      ),
    ).toEqual([]);
  });

  it('keeps functions below infra, and each function to itself', () => {
    const broken = (target: string, from: SourceFile): boolean =>
      target.startsWith('infra/') || (functionOf(target) !== undefined && functionOf(target) !== functionOf(from.file));
    expect(violations(({ file }) => functionOf(file) !== undefined, broken)).toEqual([]);
  });

  it('lets observe reach ports only', () => {
    expect(
      violations(
        ({ file }) => /\/observe\.ts$/.test(file),
        target => isAny(adapters, target) || !isOurs(target),
      ),
    ).toEqual([]);
  });

  it('lets infra/aws refer to handlers by path only', () => {
    expect(
      violations(
        ({ file }) => file.startsWith('infra/aws/'),
        target => /handler\.ts$/.test(target),
      ),
    ).toEqual([]);
  });

  it('has no import cycle', () => {
    expect(findCycles(graph)).toEqual([]);
  });
});

describe('where packages may appear', () => {
  const allowed: readonly { readonly pattern: RegExp; readonly where: RegExp; readonly reason: string }[] = [
    {
      pattern: /^@(aws-sdk|smithy)\//,
      where: /^(shared\/(aws|workqueue\/sqs)\/|infra\/local\/)/,
      reason: 'queues and secrets are ports',
    },
    { pattern: /^@middy\//, where: /^shared\/lambda\//, reason: 'reconcilers know nothing of Lambda' },
    {
      pattern: /^@kubernetes\/client-node/,
      where: /^(infra\/local\/|functions\/watch-forwarder\/)/,
      reason: 'a TLS connection per request',
    },
    { pattern: /^(aws-cdk-lib|constructs|cdk-nag)/, where: /^infra\/aws\//, reason: 'deployment only' },
    {
      pattern: /^(@peculiar\/x509|reflect-metadata)$/,
      where: /^shared\/certificates\/x509\//,
      reason: 'large: a lazily loaded chunk',
    },
    { pattern: /^(esbuild|fauxqs)/, where: /^infra\//, reason: 'tools, not runtime' },
    {
      pattern: /^node:(?!crypto$|util$)/,
      where:
        /^(shared\/(aws|kubernetes\/(rest|credentials)|workqueue\/sqs|runtime-hooks\/client|telemetry|lambda)\/|infra\/|examples\/extension\/|functions\/watch-forwarder\/main\.ts)/,
      reason: 'no I/O outside adapters',
    },
  ];

  it.each(allowed)('$pattern only where $where ($reason)', ({ pattern, where }) => {
    expect(
      violations(
        ({ file }) => !where.test(file),
        target => !isOurs(target) && pattern.test(target),
      ),
    ).toEqual([]);
  });
});

describe('ambient inputs', () => {
  const ambient = /\b(Date\.now\(|new Date\(\)|Math\.random\(|process\.|console\.|setTimeout\(|setInterval\(|fetch\()/;

  it('come in as parameters outside adapters: no clock, randomness, environment, console or timer', () => {
    const offenders = graph
      .filter(({ file }) => !isAny(adapters, file))
      .filter(({ file }) => ambient.test(withoutComments(readFileSync(path.join(root, file), 'utf8'))))
      .map(({ file }) => file);
    expect(offenders).toEqual([]);
  });
});

function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '');
}

function findCycles(files: readonly SourceFile[]): readonly string[] {
  const importsOf = new Map(files.map(({ file, imports }) => [file, imports]));
  const state = new Map<string, 'open' | 'closed'>();
  const cycles: string[] = [];
  const visit = (file: string, trail: readonly string[]): void => {
    if (state.get(file) === 'open') {
      cycles.push([...trail.slice(trail.indexOf(file)), file].join(' → '));
      return;
    }
    if (state.get(file) === 'closed') {
      return;
    }
    state.set(file, 'open');
    for (const imported of importsOf.get(file) ?? []) {
      visit(imported, [...trail, file]);
    }
    state.set(file, 'closed');
  };
  for (const { file } of files) {
    visit(file, []);
  }
  return cycles;
}
