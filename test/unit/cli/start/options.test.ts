import { describe, expect, it } from 'vitest';
import { parseStartOptions, startHelp } from '../../../../cli/start/options.ts';
import { defaultAuditFolder, defaultAuditPort, defaultTimeoutSeconds } from '../../../../local/run-options.ts';
import { UsageError } from '../../../../local/usage-error.ts';

const minimal = ['--kubeconfig', 'k'];

describe('the command line', () => {
  it('needs nothing: an embedded API server gets all CRDs and the examples', () => {
    expect(parseStartOptions([])).toEqual({
      kubeconfig: undefined,
      port: 0,
      data: undefined,
      admission: true,
      examples: true,
      apply: [],
      providers: [],
      withExtension: false,
      installCrds: true,
      exitWhenReady: false,
      timeoutSeconds: defaultTimeoutSeconds,
      watchFilter: '',
      layout: 'per-kind',
      sources: ['forwarder'],
      auditPort: 0,
      auditFolder: defaultAuditFolder,
      folder: undefined,
      pagePort: undefined,
      json: false,
    });
  });

  it('does not change a given API server', () => {
    expect(parseStartOptions(minimal)).toMatchObject({ kubeconfig: 'k', examples: false, installCrds: false });
  });

  it('is read in full', () => {
    const args =
      '--apply a.yaml --apply b.yaml --provider p/ --provider q --with-extension --install-crds --exit-when-ready --timeout 1.5 --watch-filter blue --layout compact --sources audit,forwarder,audit --audit-port 9999 --audit-folder a --folder f --ui --ui-port 8080 --json';
    expect(parseStartOptions([...minimal, ...args.split(' ')])).toEqual({
      kubeconfig: 'k',
      port: 0,
      data: undefined,
      admission: false,
      examples: false,
      apply: ['a.yaml', 'b.yaml'],
      providers: ['p', 'q'],
      withExtension: true,
      installCrds: true,
      exitWhenReady: true,
      timeoutSeconds: 1.5,
      watchFilter: 'blue',
      layout: 'compact',
      sources: ['audit', 'forwarder'],
      auditPort: 9999,
      auditFolder: 'a',
      folder: 'f',
      pagePort: 8080,
      json: true,
    });
  });

  it.each([
    {
      args: ['--no-admission'],
      expected: { admission: false, examples: true },
      reason: 'it may take any ClusterClass',
    },
    { args: ['--no-examples'], expected: { examples: false, installCrds: true }, reason: 'it may start empty' },
    {
      args: ['--apply', 'a.yaml'],
      expected: { examples: false, apply: ['a.yaml'] },
      reason: 'manifests take their place',
    },
    { args: ['--port', '6443'], expected: { port: 6443, examples: true }, reason: 'it may have a fixed port' },
  ])('sets the embedded API server by $args: $reason', ({ args, expected }) => {
    expect(parseStartOptions(args)).toMatchObject(expected);
  });

  it('prints help before any other check', () => {
    expect(parseStartOptions(['--help', '--timeout', 'soon'])).toBe('help');
  });

  it.each([
    { args: ['--kubeconfig', ''], message: '--kubeconfig names no file', reason: 'an unset variable of a script' },
    {
      args: ['--kubeconfg', 'k'],
      message: "Unknown option '--kubeconfg'; --help lists the options",
      reason: 'typo',
    },
    { args: ['up'], message: "Unexpected argument 'up'; --help lists the options", reason: 'no commands here' },
    {
      args: ['--kubeconfig'],
      message: "Option '--kubeconfig <value>' argument missing; --help lists the options",
      reason: 'no value',
    },
    {
      args: ['--kubeconfig', '--json'],
      message: "Option '--kubeconfig' argument is ambiguous; --help lists the options",
      reason: 'an option where a value should be',
    },
    {
      args: [...minimal, '--json=yes'],
      message: "Option '--json' does not take an argument; --help lists the options",
      reason: 'a value where none should be',
    },
    { args: ['--provider='], message: '--provider names no folder', reason: 'an unset variable of a script' },
    {
      args: ['--provider=rack', '--provider=rack/'],
      message: '--provider rack is given twice',
      reason: 'two reconcilers of one kind',
    },
    {
      args: [...minimal, '--timeout', '5'],
      message: '--timeout needs --exit-when-ready',
      reason: 'nothing to wait for',
    },
    {
      args: [...minimal, '--sources', 'forwarder,audits'],
      message: '--sources may name forwarder, windowed, audit, got "audits"',
      reason: 'typo',
    },
    {
      args: ['--layout', 'shared'],
      message: '--layout must be per-kind or compact, got "shared"',
      reason: 'the former name',
    },
    {
      args: [...minimal, '--sources='],
      message: '--sources may name forwarder, windowed, audit, got ""',
      reason: 'no source',
    },
    {
      args: [...minimal, '--audit-port', '9780'],
      message: '--audit-port needs --sources audit',
      reason: 'nothing listens there',
    },
    {
      args: [...minimal, '--sources=audit', '--audit-folder='],
      message: '--audit-folder names no file',
      reason: 'an unset variable of a script',
    },
    {
      args: [...minimal, '--sources=audit', '--audit-port=https'],
      message: '--audit-port must be a number from 0 to 65535, got "https"',
      reason: 'no number',
    },
  ])('refuses $args: $reason', ({ args, message }) => {
    expect(() => parseStartOptions(args)).toThrow(new UsageError(message));
  });

  it('keeps the audit webhook at the address that an API server was configured with', () => {
    expect(parseStartOptions([...minimal, '--sources', 'audit'])).toMatchObject({ auditPort: defaultAuditPort });
    expect(parseStartOptions(['--sources', 'audit'])).toMatchObject({ auditPort: 0 });
  });

  it.each(['0', '-1', 'soon', '', 'Infinity', '86401'])('refuses to wait for "%s" seconds', text => {
    expect(() => parseStartOptions([...minimal, '--exit-when-ready', `--timeout=${text}`])).toThrow(
      `--timeout must be a number of seconds, more than 0 and at most a day, got "${text}"`,
    );
  });

  it.each(['-1', '65536', '1.5', 'https', ''])('refuses port "%s"', text => {
    expect(() => parseStartOptions([`--port=${text}`])).toThrow(
      `--port must be a number from 0 to 65535, got "${text}"`,
    );
  });

  it.each(['--no-examples', '--port=1', '--data=d'])('refuses %s beside a given API server', option => {
    expect(() => parseStartOptions([...minimal, option])).toThrow(
      'is for the embedded API server and cannot go with --kubeconfig',
    );
  });

  it('has a line of help for every option', () => {
    for (const option of [
      'kubeconfig',
      'apply',
      'install-crds',
      'exit-when-ready',
      'timeout',
      'sources',
      'audit-port',
      'audit-folder',
      'watch-filter',
      'json',
    ]) {
      expect(startHelp).toContain(`\n  --${option} `);
    }
  });
});

it('a usage error is always one line', () => {
  expect(new UsageError('first\n  second\r\n\nthird\n').message).toBe('first second third');
});
