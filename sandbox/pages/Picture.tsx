// The demo shop's drawings: its logo, and one image per product.
import type { ComponentChildren } from 'preact';

/** A product's image. It is decorative, because the product's name is next to it. */
export function Picture({ id }: { id: string }) {
  return (
    <svg class="picture" viewBox="0 0 120 90" aria-hidden="true">
      {PICTURES[id] ?? null}
    </svg>
  );
}

/** The shop's logo: a palm tree on an island. */
export function ShopMark() {
  return (
    <svg class="mark" viewBox="0 0 48 48" aria-hidden="true">
      <circle cx="24" cy="24" r="24" fill="#f2b441" />
      <path d="M1.75 33q11-5 22.25 0t22.25 0A24 24 0 0 1 1.75 33Z" fill="#0b5d5b" />
      <path d="M23 33q4-9 1-17l2.5-.5q3 9-.2 17.5Z" fill="#5b3a1e" />
      <path
        d={
          'M25 16q-9-7-14 1 7-2 14-1Zm0 0q-8 0-9 9 4-6 9-9Zm0 0q10-7 14 1-7-2-14-1Zm0 0q8 1 8 9-3-6-8-9Z' +
          'm0 0q-2-7-9-8 3 6 9 8Z'
        }
        fill="#1b7f4b"
      />
    </svg>
  );
}

const PICTURES: Record<string, ComponentChildren> = {
  cafe: (
    <>
      <path d="M41 14h38l3 66a3 3 0 0 1-3 3H41a3 3 0 0 1-3-3Z" fill="#6b4226" />
      <path d="M41 14h38l.5 10h-39Z" fill="#52301a" />
      <rect x="45" y="35" width="30" height="34" rx="3" fill="#f6e7cf" />
      <ellipse cx="60" cy="49" rx="8" ry="10.5" transform="rotate(28 60 49)" fill="#6b4226" />
      <path d="M56 40q7 7 1 10t5 9" fill="none" stroke="#f6e7cf" stroke-width="1.8" />
      <path d="M51 64.5h18" stroke="#b3261e" stroke-width="2.5" />
      <path d="M22 76a6 4.5 0 1 1 12 0 6 4.5 0 0 1-12 0Zm64 3a6 4.5 0 1 1 12 0 6 4.5 0 0 1-12 0Z" fill="#52301a" />
      <path d="M23 77q5-3 10-2M87 80q5-3 10-2" stroke="#a4713f" fill="none" />
    </>
  ),
  pano: (
    <>
      <path d="M22 18h76v58l-9.5-5-9.5 5-9.5-5-9.5 5-9.5-5-9.5 5-9.5-5-9.5 5Z" fill="#d8a22e" />
      <path d="M22 18h76v7H22Zm0 42h76v6H22Z" fill="#1b1a17" />
      <path d="m22 42.5 9.5-17.5h57L98 42.5 88.5 60h-57Z" fill="#b3261e" />
      <path
        d={
          'm31.5 25 9.5 17.5L31.5 60 22 42.5Zm19 0L60 42.5 50.5 60 41 42.5Zm19 0L79 42.5 69.5 60 60 42.5Z' +
          'm19 0L98 42.5 88.5 60 79 42.5Z'
        }
        fill="#1b1a17"
      />
      <path
        d={
          'm31.5 32 5.5 10.5-5.5 10.5L26 42.5Zm19 0L56 42.5 50.5 53 45 42.5Zm19 0L75 42.5 69.5 53 64 42.5Z' +
          'm19 0L94 42.5 88.5 53 83 42.5Z'
        }
        fill="#f2b441"
      />
      <path
        d={
          'm31.5 38 2.5 4.5-2.5 4.5-2.5-4.5Zm19 0 2.5 4.5-2.5 4.5-2.5-4.5Zm19 0 2.5 4.5-2.5 4.5-2.5-4.5Z' +
          'm19 0 2.5 4.5-2.5 4.5-2.5-4.5Z'
        }
        fill="#f6efe0"
      />
    </>
  ),
  cesto: (
    <>
      <path d="M36 42q0-29 24-29t24 29" fill="none" stroke="#8a5a2b" stroke-width="5" />
      <path d="M27 40h66l-8 36q-1 5-6 5H41q-5 0-6-5Z" fill="#d9a860" />
      <path
        d={
          'm29 51 6.800-6 7 6 6.800-6 7 6 6.800-6 7 6 6.800-6 7 6 6.800-6' +
          'M33.5 70l6-6 6.700 6 6.600-6 6.700 6 6.700-6 6.600 6 6.700-6 6.600 6'
        }
        fill="none"
        stroke="#8a3b12"
        stroke-width="3"
      />
      <path d="M31 57.5h58" stroke="#1b1a17" stroke-width="3.5" stroke-dasharray="5 4" />
      <rect x="24" y="36" width="72" height="8" rx="4" fill="#8a5a2b" />
    </>
  ),
  mel: (
    <>
      <path d="M40 28h40q6 4 6 12v35q0 7-7 7H41q-7 0-7-7V40q0-8 6-12Z" fill="#e8a020" />
      <path d="M40 28h40q6 4 6 12H34q0-8 6-12Z" fill="#f7d58c" />
      <rect x="37" y="12" width="46" height="14" rx="4" fill="#8a3b12" />
      <path d="M37 19h46" stroke="#6b2a0a" stroke-width="2" />
      <path d="m60 44 13 7.5v15L60 74l-13-7.5v-15Z" fill="#fff6e0" />
      <path d="m60 50 8 4.5v9L60 68l-8-4.5v-9Z" fill="none" stroke="#e8a020" stroke-width="2.5" />
      <path d="M60 50v9m0 0 8 4.5M60 59l-8 4.5" stroke="#e8a020" stroke-width="2.5" />
    </>
  ),
  livro: (
    <g transform="rotate(-5 60 46)">
      <path d="M36 10h44a4 4 0 0 1 4 4v65H40a6 6 0 0 1-6-6V12Z" fill="#0b5d5b" />
      <path d="M34 73a6 6 0 0 1 6-6h44v12H40a6 6 0 0 1-6-6Z" fill="#f6efe0" />
      <path d="M40 71h44M40 75h44" stroke="#cdbf9f" />
      <circle cx="60" cy="34" r="12" fill="#f2b441" />
      <path d="M40 44q10-5 20 0t20 0v9H40Z" fill="#5fc6c0" />
      <path d="M48 60h24" stroke="#f6efe0" stroke-width="3" />
    </g>
  ),
  jindungo: (
    <>
      <path d="M48 12h24v14q9 5 9 15v35q0 6-6 6H45q-6 0-6-6V41q0-10 9-15Z" fill="#dfe9d2" />
      <path d="M39 42q21-6 42 0v34q0 6-6 6H45q-6 0-6-6Z" fill="#e0a93a" />
      <rect x="46" y="8" width="28" height="9" rx="3" fill="#8a5a2b" />
      <path
        d={
          'M50 74q-6-14 3-25 4 2 4 4-5 9-3 21-2 2-4 0Zm16 2q-10-10-6-24 4 0 5 3 0 10 5 18-1 3-4 3Z' +
          'm5-6q-4-9 0-19 4 1 4 4-2 7 0 14-2 2-4 1Z'
        }
        fill="#c4281c"
      />
      <path
        d="M53 49q0-5 4-6M60 52q-2-4 1-8M71 51q0-5 3-7"
        fill="none"
        stroke="#1b7f4b"
        stroke-width="2.5"
        stroke-linecap="round"
      />
    </>
  ),
};
