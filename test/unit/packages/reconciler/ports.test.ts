// The compiler checks the constants with the name `type…`.
import { expect, it } from 'vitest';
import { declare, makePorts, type PortFactories } from '../../../../packages/reconciler/ports.ts';
import type { DeclarationOf, Reconciler } from '../../../../packages/reconciler/types.ts';
import { aDeclaration } from '../../../support/kernel.ts';

interface Ports {
  readonly clock: () => number;
  readonly weather: { readonly isFine: boolean };
}

type Fits<Given, Wanted> = [Given] extends [Wanted] ? true : false;
type Serves<Names extends string, Served> = Fits<DeclarationOf<Names>, Reconciler<Served, object>['declaration']>;

const declared = declare({ ...aDeclaration(), ports: ['clock', 'weather'] });

it('keeps the port names of a declaration in its type', () => {
  const typeNames: readonly ('clock' | 'weather')[] = declared.ports;
  const typeFits: Fits<typeof declared, DeclarationOf<'clock' | 'weather'>> = true;
  expect([typeNames, typeFits]).toEqual([['clock', 'weather'], true]);
});

it('requires that a reconciler receives exactly the ports that its declaration names', () => {
  const typeExact: Serves<'clock' | 'weather', Ports> = true;
  const typeUndeclared: Serves<'clock', Ports> = false;
  const typeUngiven: Serves<'clock' | 'weather' | 'tide', Ports> = false;
  const typeNoPort: Serves<'clock', object> = false;
  expect([typeExact, typeUndeclared, typeUngiven, typeNoPort]).toEqual([true, false, false, false]);
});

it('requires one factory per port except dryRun', () => {
  type Wanted = PortFactories<Ports & { readonly dryRun: object }, number>;
  const typeNames: Fits<keyof Wanted, 'clock' | 'weather'> = true;
  const typeMissing: Fits<Pick<Wanted, 'clock'>, Wanted> = false;
  const typeNone: Fits<Wanted, PortFactories<object, number>> = false;
  expect([typeNames, typeMissing, typeNone]).toEqual([true, false, false]);
});

it('creates each port once, from its dependencies', () => {
  const ports = makePorts<Ports, number>({ clock: now => () => now, weather: now => ({ isFine: now > 12 }) }, 13);
  expect([ports.clock(), ports.weather]).toEqual([13, { isFine: true }]);
});
