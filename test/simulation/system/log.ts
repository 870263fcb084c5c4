// A log that passes its lines to the oracles and the trace.
import type { Log, LogFields } from '@capi-serverless/reconciler';

export interface LogLine {
  readonly process: string;
  readonly level: 'debug' | 'info' | 'error';
  readonly message: string;
  readonly fields: LogFields;
}

export function createTracingLog(process: string, onLine: (line: LogLine) => void, fields: LogFields = {}): Log {
  const write = (level: LogLine['level'], message: string, more: LogFields = {}): void =>
    onLine({ process, level, message, fields: { ...fields, ...more } });
  return {
    debug: (message, more) => write('debug', message, more),
    info: (message, more) => write('info', message, more),
    error: (message, error, more) =>
      write('error', message, { error: error instanceof Error ? error.message : String(error), ...more }),
    with: more => createTracingLog(process, onLine, { ...fields, ...more }),
  };
}
