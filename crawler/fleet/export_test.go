package fleet

import (
	"context"
	"time"
)

// SetVersion changes the version of an audit's messages.
func (f *Fleet) SetVersion(ctx context.Context, id string, version int) error {
	return f.edit(ctx, id, func(c *control) { c.Wire = version })
}

// Version is the version of the messages of this program.
const Version = wireVersion

// SetWall makes a Fleet read the wall clock from wall. It is called before anything else.
func (f *Fleet) SetWall(wall func() time.Time) { f.wall = wall }
