import { describe, expect, it } from 'vitest';
import { parseUiOptions, uiHelp } from '../../../../cli/ui/options.ts';
import { UsageError } from '../../../../local/usage-error.ts';

describe('the command line of ui', () => {
  it.each([
    { args: [], options: { kubeconfig: undefined, port: 0, json: false }, reason: 'the local run, any port' },
    {
      args: ['--kubeconfig', 'k', '--port', '8080', '--json'],
      options: { kubeconfig: 'k', port: 8080, json: true },
      reason: 'all',
    },
    { args: ['--help'], options: 'help', reason: 'help' },
  ])('is read: $reason', ({ args, options }) => {
    expect(parseUiOptions(args)).toEqual(options);
  });

  it.each([
    { args: ['--kubeconfig='], message: '--kubeconfig names no file' },
    { args: ['--port', '65536'], message: '--port must be a number from 0 to 65535, got "65536"' },
    { args: ['--port', 'any'], message: '--port must be a number from 0 to 65535, got "any"' },
  ])('is refused: $message', ({ args, message }) => {
    expect(() => parseUiOptions(args)).toThrow(new UsageError(message));
  });

  it('has a help with all options', () => {
    expect(uiHelp).toMatch(/--kubeconfig[\s\S]*--port/);
  });
});
