// The option of a port on the loopback address, for several commands.
import { UsageError } from '../local/usage-error.ts';

const highestPort = 65_535;

/** Throws UsageError. */
export function parsePort(option: string, text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text.trim()) || port > highestPort) {
    throw new UsageError(`--${option} must be a number from 0 to ${highestPort}, got "${text}"`);
  }
  return port;
}
