// Package house has no code: its tests check the architecture of the project. They check which room
// may import which, where code may lie, that every exported name is documented and that no function
// grows too long.
//
//	               cmd
//	   ┌────────────┼────────────┐
//	probe fleet     │            │
//	crawler      report       storage
//	   │            │            │
//	discover        │            │
//	 fetch          │            │
//	   └────────────┼────────────┘
//	 audit     sitemap     robots
//	   └────────────┼────────────┘
//	             address
//
// Imports point down only. These tests should change only when that drawing does.
package house
