// The engine of rules and patterns, loaded when a schema first asks for it: a server starts without.
import { createRequire } from 'node:module';

type Engine = typeof import('../../../../../shared/cel/index.ts');

let engine: Engine | undefined;

/** Loads at the first call, within it: the core answers at once. */
export function ruleEngine(): Engine {
  // True: this is the module of that path, and it has no top-level await.
  engine ??= createRequire(import.meta.url)('../../../../../shared/cel/index.ts') as Engine;
  return engine;
}
