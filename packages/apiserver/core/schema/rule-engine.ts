// The engines of rules and patterns, loaded on first use: a server starts without them.
import { createRequire } from 'node:module';

type Rules = typeof import('@capi-serverless/cel');
type Patterns = typeof import('@capi-serverless/apimachinery/pattern');

const require = createRequire(import.meta.url);
let rules: Rules | undefined;
let patterns: Patterns | undefined;

/** Loads synchronously on the first call. */
export function ruleEngine(): Rules {
  // True: the module at that path, which has no top-level await.
  rules ??= require('@capi-serverless/cel') as Rules;
  return rules;
}

/** Like `ruleEngine`. */
export function patternEngine(): Patterns {
  patterns ??= require('@capi-serverless/apimachinery/pattern') as Patterns;
  return patterns;
}
