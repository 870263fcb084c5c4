// The same rollouts with their controllers in another order.
import type { RolloutOrder } from './sequence.ts';

export const rolloutOrders: readonly RolloutOrder[] = [
  {
    name: 'R1',
    steps: [
      'md(ms1 3→2; new ms2) · ms1(−m1) · ms2 · md(ms2 0→1) · ms1 · ms1 · md · ms2(+m4)',
      'md(ms1 2→1) · ms1(−m2) · ms2 · ms2 · md(ms2 1→2) · ms2(+m5) · md(ms1 1→0) · ms2',
      'md · ms1(−m3) · ms2 · ms1 · md(ms2 2→3) · ms2(+m6) · ms1 · ms2',
      'md',
    ],
    end: 'ms1 0/0 a0 u0 (none); ms2 3/3 a3 u3 (m4,m5,m6)',
  },
  {
    name: 'R2',
    steps: [
      'md(new ms2 0→1) · ms1 · ms2(+m4) · md(ms1 3→2) · ms1(−m1) · ms1 · md(ms2 1→2) · ms2(+m5)',
      'md(ms1 2→1) · ms1(−m2) · ms2 · ms2 · md(ms2 2→3) · ms2(+m6) · md(ms1 1→0) · ms2',
      'md · ms1(−m3) · ms2 · ms1 · md',
    ],
    end: 'ms1 0/0 a0 u0 (none); ms2 3/3 a3 u3 (m4,m5,m6)',
  },
  {
    name: 'R3',
    steps: [
      'md(ms1 6→0; new ms2) · ms1(−m1,m2,m3,m4,m5,m6) · ms2 · md(ms2 0→6) · ms1 · ms1 · md · ms2(+m7,m8,m9,m10,m11,m12)',
      'md · ms1 · ms2',
    ],
    end: 'ms1 0/0 a0 u0 (none); ms2 6/6 a6 u6 (m7,m8,m9,m10,m11,m12)',
  },
  {
    name: 'R4',
    steps: [
      'md(ms1 6→3; new ms2 0→1) · ms1(−m1,m2,m3) · ms2(+m7) · md(ms1 3→2; ms2 1→4) · ms1(−m4) · ms1 · md(ms2 4→5) · ms2(+m8,m9,m10,m11)',
      'md(ms1 2→0) · ms1(−m5,m6) · ms2 · ms2 · md(ms2 5→6) · ms2(+m12) · md · ms2',
    ],
    end: 'ms1 0/0 a0 u0 (none); ms2 6/6 a6 u6 (m7,m8,m9,m10,m11,m12)',
  },
  {
    name: 'R5',
    steps: [
      'md(ms1 6→5; new ms2 0→3) · ms1(−m1) · ms2(+m7,m8,m9) · md(ms1 5→2; ms2 3→4) · ms1(−m2,m3,m4) · ms1 · md(ms2 4→6) · ms2(+m10,m11,m12)',
      'md(ms1 2→0) · ms1(−m5,m6) · ms2 · ms2 · md',
    ],
    end: 'ms1 0/0 a0 u0 (none); ms2 6/6 a6 u6 (m7,m8,m9,m10,m11,m12)',
  },
  {
    name: 'R6',
    steps: [
      'md(new ms2 0→6) · ms1 · ms2(+m7,m8,m9,m10,m11,m12) · md(ms1 6→0) · ms1(−m1,m2,m3,m4,m5,m6) · ms1 · md · ms2',
    ],
    end: 'ms1 0/0 a0 u0 (none); ms2 6/6 a6 u6 (m7,m8,m9,m10,m11,m12)',
  },
  {
    name: 'R7',
    steps: [
      'ms2 · ms1 · md(ms1 3→2; new ms3 0→3) · ms2 · ms3(+m10,m11,m12) · ms2 · md(ms1 2→0) · ms1(−m4,m5,m6)',
      'ms2 · ms1 · ms3 · md(ms2 3→2; ms3 3→6) · md · ms3(+m13,m14,m15) · ms1 · ms3',
      'md(ms2 2→0) · ms3 · ms2(−m7,m8,m9) · ms1 · ms2 · ms3 · ms1 · md',
      'ms1 · ms2',
    ],
    end: 'ms1 0/0 a0 u0 (none); ms2 0/0 a0 u0 (none); ms3 6/6 a6 u6 (m10,m11,m12,m13,m14,m15)',
  },
  {
    name: 'R8',
    steps: [
      'ms2 · ms1 · md(ms2 3→12; maxUnavailable breach) · ms1 · ms1 · md(maxUnavailable breach) · ms2(+m10,m11,m12,m13,m14,m15,m16,m17,m18) · md(ms1 3→0)',
      'ms1(−m4,m5,m6) · ms2 · ms2 · md',
    ],
    end: 'ms1 0/0 a0 u0 (none); ms2 12/12 a12 u12 (m7,m8,m9,m10,m11,m12,m13,m14,m15,m16,m17,m18)',
  },
  {
    name: 'R9',
    steps: [
      'ms2 · ms1 · md(ms1 9→2; maxSurge breach) · ms1(−m4,m5,m6,m7,m8,m9,m10) · ms1 · md(ms2 3→6) · ms2(+m16,m17,m18) · md(ms1 2→0)',
      'ms1(−m11,m12) · ms2 · ms2 · md',
    ],
    end: 'ms1 0/0 a0 u0 (none); ms2 6/6 a6 u6 (m13,m14,m15,m16,m17,m18)',
  },
  {
    name: 'I1',
    steps: [
      'md(ms1 3→2; new ms2) · ms1(m1→ms2) · ms2(m1 wait) · md(ms2 0→1) · ms1 · ms1 · md · ms2',
      'md · ms1 · ms2(m1 ✓) · ms2 · md(ms1 2→1) · ms2 · md · ms2',
      'md · ms1(m2→ms2) · ms2(m2 wait) · ms1 · md(ms2 1→2) · ms2 · ms1 · ms2(m2 ✓)',
      'md(ms1 1→0) · md · md · ms2 · ms2 · ms2 · ms1(m3→ms2) · md(ms2 2→3)',
      'md · ms2 · ms1 · ms2(m3 ✓) · md · ms1 · ms1',
    ],
    end: 'ms1 0/0 a0 u0 (none); ms2 3/3 a3 u3 (m1,m2,m3)',
  },
  {
    name: 'I2',
    steps: [
      'md(new ms2 0→1) · ms1 · ms2(+m4) · md(ms1 3→2) · ms1(m1→ms2) · ms1 · md(ms2 1→2) · ms2',
      'md · ms1 · ms2(m1 ✓) · ms2 · md(ms1 2→1) · ms2 · md · ms2',
      'md · ms1(m2→ms2) · ms2(m2 wait) · ms1 · md(ms2 2→3) · ms2 · ms1 · ms2(m2 ✓)',
      'md(ms1 1→0) · md · md · ms2 · ms2 · ms2 · ms1(m3→ms2) · md',
      'md · ms2(−m3) · ms1',
    ],
    end: 'ms1 0/0 a0 u0 (none); ms2 3/3 a3 u3 (m1,m2,m4)',
  },
  {
    name: 'I3',
    steps: [
      'md(ms1 6→0; new ms2) · ms1(m1,m2,m3,m4,m5,m6→ms2) · ms2(m1,m2,m3,m4,m5,m6 wait) · md(ms2 0→6) · ms1 · ms1 · md · ms2',
      'md · ms1 · ms2(m1,m2,m3,m4,m5,m6 ✓) · ms2 · md',
    ],
    end: 'ms1 0/0 a0 u0 (none); ms2 6/6 a6 u6 (m1,m2,m3,m4,m5,m6)',
  },
  {
    name: 'I4',
    steps: [
      'md(ms1 6→3; new ms2) · ms1(m1,m2,m3→ms2) · ms2(m1,m2,m3 wait) · md(ms2 0→3) · ms1 · ms1 · md · ms2',
      'md · ms1 · ms2(m1,m2,m3 ✓) · ms2 · md(ms1 3→0) · ms2 · md · ms2',
      'md · ms1(m4,m5,m6→ms2) · ms2(m4,m5,m6 wait) · ms1 · md(ms2 3→6) · ms2 · ms1 · ms2(m4,m5,m6 ✓)',
      'md',
    ],
    end: 'ms1 0/0 a0 u0 (none); ms2 6/6 a6 u6 (m1,m2,m3,m4,m5,m6)',
  },
  {
    name: 'I5',
    steps: [
      'md(ms1 6→5; new ms2) · ms1(m1→ms2) · ms2(m1 wait) · md(ms2 0→1) · ms1 · ms1 · md · ms2',
      'md · ms1 · ms2(m1 ✓) · ms2 · md(ms1 5→4) · ms2 · md · ms2',
      'md · ms1(m2→ms2) · ms2(m2 wait) · ms1 · md(ms2 1→2) · ms2 · ms1 · ms2(m2 ✓)',
      'md(ms1 4→3) · md · md · ms2 · ms2 · ms2 · ms1(m3→ms2) · md(ms2 2→3)',
      'md · ms2 · ms1 · ms2(m3 ✓) · md(ms1 3→2) · ms1(m4→ms2) · ms1 · md(ms2 3→4)',
      'ms2 · ms1 · ms2(m4 ✓) · ms1 · ms1 · ms2 · ms1 · ms1',
      'ms2 · md(ms1 2→1) · ms1(m5→ms2) · ms1 · ms1 · md(ms2 4→5) · ms2 · md',
      'md · ms2(m5 ✓) · ms1 · ms2 · md(ms1 1→0) · md · ms1(m6→ms2) · ms2(m6 wait)',
      'md(ms2 5→6) · md · ms1 · md · ms1 · ms1 · ms2 · md',
      'ms2(m6 ✓) · ms1 · md · ms1 · ms1',
    ],
    end: 'ms1 0/0 a0 u0 (none); ms2 6/6 a6 u6 (m1,m2,m3,m4,m5,m6)',
  },
  {
    name: 'I6',
    steps: [
      'md(new ms2 0→1) · ms1 · ms2(+m7) · md(ms1 6→5) · ms1(m1→ms2) · ms1 · md(ms2 1→2) · ms2',
      'md · ms1 · ms2(m1 ✓) · ms2 · md(ms1 5→4) · ms2 · md · ms2',
      'md · ms1(m2→ms2) · ms2(m2 wait) · ms1 · md(ms2 2→3) · ms2 · ms1 · ms2(m2 ✓)',
      'md(ms1 4→3) · md · md · ms2 · ms2 · ms2 · ms1(m3→ms2) · md(ms2 3→4)',
      'md · ms2 · ms1 · ms2(m3 ✓) · md(ms1 3→2) · ms1(m4→ms2) · ms1 · md(ms2 4→5)',
      'ms2 · ms1 · ms2(m4 ✓) · ms1 · ms1 · ms2 · ms1 · ms1',
      'ms2 · md(ms1 2→1) · ms1(m5→ms2) · ms1 · ms1 · md(ms2 5→6) · ms2 · md',
      'md · ms2(m5 ✓) · ms1 · ms2 · md(ms1 1→0) · md · ms1(m6→ms2) · ms2(m6 wait)',
      'md · md · ms1 · md · ms1 · ms1 · ms2(−m6) · md',
      'ms2 · ms1',
    ],
    end: 'ms1 0/0 a0 u0 (none); ms2 6/6 a6 u6 (m1,m2,m3,m4,m5,m7)',
  },
  {
    name: 'I7',
    steps: [
      'ms2 · ms1 · md(ms1 3→2; new ms3) · ms2 · ms3 · ms2 · md · ms1(m4→ms3)',
      'ms2 · ms1 · ms3(m4 wait) · md(ms3 0→1) · md · ms3 · ms1 · ms3(m4 ✓)',
      'md(ms1 2→1) · ms3 · ms2 · ms1(m5→ms3) · ms2 · ms3(m5 wait) · ms1 · md(ms3 1→2)',
      'ms1 · ms2 · ms3 · ms2 · md · md · ms1 · ms1',
      'ms1 · ms3(m5 ✓) · ms1 · md(ms1 1→0) · ms2 · md · ms3 · ms1(m6→ms3)',
      'ms2 · md(ms3 2→3) · ms3 · ms2 · ms2 · md · ms2 · ms1',
      'ms2 · ms2 · ms3(m6 ✓) · ms2 · ms2 · ms1 · ms2 · ms3',
      'ms3 · ms2 · md(ms2 3→2) · ms1 · ms3 · ms1 · ms3 · ms2(m1→ms3)',
      'md(ms3 3→4) · ms3 · md · ms1 · ms2 · ms3(m1 ✓) · ms3 · md(ms2 2→1)',
      'ms1 · ms2(m2→ms3) · ms2 · md(ms3 4→5) · ms1 · md · ms1 · ms3',
      'ms3(m2 ✓) · ms2 · ms3 · ms1 · md(ms2 1→0) · md · ms3 · ms2(m3→ms3)',
      'md(ms3 5→6) · ms1 · ms2 · ms2 · md · ms3 · ms1 · md',
      'ms2 · ms1 · ms2 · md · ms3(m3 ✓) · ms3 · ms3 · ms2',
      'ms3 · md · ms3 · ms2',
    ],
    end: 'ms1 0/0 a0 u0 (none); ms2 0/0 a0 u0 (none); ms3 6/6 a6 u6 (m1,m2,m3,m4,m5,m6)',
  },
  {
    name: 'I8',
    steps: [
      'ms2 · ms1 · md(ms2 3→9; maxUnavailable breach) · ms1 · ms1 · md(maxUnavailable breach) · ms2(+m7,m8,m9,m10,m11,m12) · md(ms1 3→2)',
      'ms1(m4→ms2) · ms2(m4 wait) · ms2(m4 wait) · md(ms2 9→10) · ms2 · md · ms2(m4 ✓) · md(ms1 2→1)',
      'ms1(m5→ms2) · ms2(m5 wait) · ms1 · md(ms2 10→11) · ms2 · ms1 · ms2(m5 ✓) · md(ms1 1→0)',
      'md · md · ms2 · ms2 · ms2 · ms1(m6→ms2) · md(ms2 11→12) · md',
      'ms2 · ms1 · ms2(m6 ✓) · md · ms1 · ms1',
    ],
    end: 'ms1 0/0 a0 u0 (none); ms2 12/12 a12 u12 (m1,m2,m3,m4,m5,m6,m7,m8,m9,m10,m11,m12)',
  },
  {
    name: 'I9',
    steps: [
      'ms2 · ms1 · md(ms1 9→2; maxSurge breach) · ms1(m4,m5,m6,m7,m8,m9,m10→ms2) · ms1 · md(ms2 3→6) · ms2(−m10,m9,m8,m7) · md',
      'ms1 · ms2(m4,m5,m6 ✓) · ms2 · md(ms1 2→0) · ms2 · md · ms2 · md',
      'ms1(m11,m12→ms2) · ms2(m11,m12 wait) · ms1 · md · ms2(−m12,m11) · ms1 · ms2 · md',
    ],
    end: 'ms1 0/0 a0 u0 (none); ms2 6/6 a6 u6 (m1,m2,m3,m4,m5,m6)',
  },
];
