package fleet

import "time"

// SetWall makes a Fleet read the wall clock from wall. It is called before anything else.
func (f *Fleet) SetWall(wall func() time.Time) { f.wall = wall }
