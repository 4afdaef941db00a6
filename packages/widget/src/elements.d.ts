// The types of the elements. `pack.js` puts the gateway's file in place of this one.
export type * from '../../../widget/widget.d.ts';
